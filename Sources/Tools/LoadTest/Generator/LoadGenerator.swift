import Media
package import Timing

/// A generator that sends notifications when they are due, however many are under way, and records the answers.
package struct LoadGenerator: Sendable {
    /// The time for which it waits after a deadline, to tell a late answer from a missing one.
    private static let patience = Duration.seconds(1)

    private let target: any LoadTarget
    private let mix: NotificationMix
    private let time: any TimeSource

    package init(_ target: any LoadTarget, _ mix: NotificationMix, time: any TimeSource) {
        self.target = target
        self.mix = mix
        self.time = time
    }

    /// Runs a whole schedule, and returns when every notification is answered or given up. `number` is the first one's
    /// number.
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

    /// Returns the capacity, in useful answers a second. Each of the `clients` waits for its answer before it sends the
    /// next notification.
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
                        // Answers after the end would add work that was done outside of the measured time.
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
