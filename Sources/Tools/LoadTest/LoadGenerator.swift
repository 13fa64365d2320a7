import Media
package import Timing

/// Sends notifications when they are due, however many are under way, and records what becomes of each.
package struct LoadGenerator: Sendable {
    /// How long after its deadline an answer is still waited for, to tell a late one from none.
    private static let patience = Duration.seconds(1)

    private let target: any LoadTarget
    private let mix: NotificationMix
    private let time: any TimeSource

    package init(_ target: any LoadTarget, _ mix: NotificationMix, time: any TimeSource) {
        self.target = target
        self.mix = mix
        self.time = time
    }

    /// Runs a whole schedule, and returns when everything is answered or given up. `number` is the first one's.
    package func run(_ schedule: ArrivalSchedule, from number: Int, into record: StepRecord) async {
        let start = time.now
        record.begin(at: start)
        await withDiscardingTaskGroup { group in
            for (index, offset) in schedule.enumerated() {
                let due = start + offset
                let notification = mix.notification(number + index, due: due)
                if due > time.now {
                    do { try await time.sleep(until: due) } catch { return group.cancelAll() }
                }
                group.addTask {
                    record.add(await answer(to: notification), to: notification)
                }
            }
        }
    }

    /// As many at a time as `clients`, each answered before the next is sent. What is counted is a second's useful
    /// answers: the capacity.
    package func capacity(clients: Int, duration: Duration, from number: Int) async -> Double {
        let start = time.now
        let end = start + duration
        let useful = await withTaskGroup(of: Int.self) { group in
            for client in 0..<clients {
                group.addTask {
                    var useful = 0
                    var sent = 0
                    while time.now < end, !Task.isCancelled {
                        let number = number + client + sent * clients
                        let answer = await answer(to: mix.notification(number, due: time.now))
                        sent += 1
                        // Those that end after the time would count with work that was done outside it.
                        guard answer.answered <= end else { break }
                        useful += answer.outcome.isUseful ? 1 : 0
                    }
                    return useful
                }
            }
            return await group.reduce(0, +)
        }
        return Double(useful) / (duration / .seconds(1))
    }

    private func answer(to notification: LoadNotification) async -> LoadAnswer {
        await target.send(notification, until: notification.due + notification.deadline + Self.patience)
    }
}
