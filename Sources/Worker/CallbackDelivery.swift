import Jobs
import Media
import Synchronization

/// Posts answers to their callbacks, some at a time, until it is cancelled. What it had then is posted by another worker.
struct CallbackDelivery: Sendable {
    let queue: any JobQueue
    let poster: any CallbackPoster
    let policy: CallbackPolicy
    let time: any TimeSource
    let observe: WorkerObserver
    /// Nudged when there is something to post.
    let nudge: Nudge

    private static let posts = 16
    /// Well within the lease of a callback.
    private static let postTime = Duration.seconds(20)
    /// A callback that failed comes back without a nudge.
    private static let lookTime = Duration.seconds(1)

    func run() async {
        let free = FreePlaces(Self.posts)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let leased = (try? await queue.leaseCallbacks(free.count)) ?? []
                free.take(leased.count)
                for callback in leased {
                    group.addTask {
                        await deliver(callback)
                        free.give()
                        nudge.nudge()
                    }
                }
                if leased.isEmpty || free.count == 0 {
                    try? await nudge.wait(until: time.now + Self.lookTime, on: time)
                }
            }
        }
    }

    private func deliver(_ callback: LeasedCallback) async {
        guard policy.allows(callback) else {
            observe(.callback(.refused))
            try? await queue.finishCallback(callback.lease)
            return
        }
        let outcome = await poster.post(CallbackRequest(callback, deadline: time.now + Self.postTime))
        guard !Task.isCancelled || outcome == .received else { return }
        let delay = policy.delay(after: callback, now: time.now, random: .random(in: 0...1))
        if outcome == .failed, let delay {
            observe(.callback(.failed))
            try? await queue.postponeCallback(callback.lease, by: delay)
        } else {
            observe(.callback(outcome == .failed ? .refused : outcome))
            try? await queue.finishCallback(callback.lease)
        }
    }
}

private final class FreePlaces: Sendable {
    private let places: Atomic<Int>

    init(_ count: Int) { places = Atomic(count) }

    var count: Int { places.load(ordering: .relaxed) }

    func take(_ count: Int) { places.wrappingSubtract(count, ordering: .relaxed) }

    func give() { places.wrappingAdd(1, ordering: .relaxed) }
}
