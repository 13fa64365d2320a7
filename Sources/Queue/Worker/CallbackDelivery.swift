import Concurrency
import Events
import Jobs
import Media
import Synchronization
import Timing

/// A loop that posts answers to their callbacks until it is cancelled. Another worker then posts the remaining ones.
struct CallbackDelivery: Sendable {
    let queue: any JobQueue
    let poster: any CallbackPoster
    let policy: CallbackPolicy
    let time: any TimeSource
    let instrument: any Instrument<WorkerEvent>
    /// The signal that there is something to post.
    let callbackAdded: WakeUp

    /// The maximum number of posts in flight. Most of them wait for their servers. The poster limits the posts to one
    /// server.
    private static let posts = 512
    /// The timeout of one post, well within the lease of a callback.
    private static let postTime = Duration.seconds(20)
    /// The polling interval. No signal announces the next attempt of a failed callback.
    private static let lookTime = Duration.seconds(1)
    /// The maximum number of callbacks that one call leases.
    private static let leaseGroup = 64

    func run() async {
        let free = FreeSlots(Self.posts)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let leased = (try? await queue.leaseCallbacks(min(free.count, Self.leaseGroup))) ?? []
                free.take(leased.count)
                for callback in leased {
                    group.addTask {
                        await deliver(callback)
                        free.give()
                        callbackAdded.wake()
                    }
                }
                if leased.isEmpty || free.count == 0 {
                    try? await callbackAdded.wait(until: time.now + Self.lookTime, on: time)
                }
            }
        }
    }

    private func deliver(_ callback: LeasedCallback) async {
        guard policy.allows(callback) else {
            let reason = "The process that posted it ended in each of \(policy.tries) attempts."
            return await giveUp(callback, CallbackResult(.refused, reason: reason))
        }
        let result = await poster.post(CallbackRequest(callback, deadline: time.now + Self.postTime))
        guard !Task.isCancelled || result.outcome == .received else { return }
        let delay = policy.delay(after: callback, now: time.now, random: .random(in: 0...1))
        switch result.outcome {
        case .postponed where time.now - callback.answered <= policy.age:
            instrument.record(.callback(.postponed))
            // A random factor spreads callbacks that were postponed together.
            let pause = (result.pause ?? policy.firstDelay) * .random(in: 1...1.5)
            try? await queue.postponeCallback(callback.lease, by: pause, isFailure: false)
        case .failed where delay != nil:
            instrument.record(.callback(.failed))
            instrument.record(.callbackFailed(callback.name, tries: callback.failures + 1, result))
            try? await queue.postponeCallback(callback.lease, by: delay ?? .zero, isFailure: true)
        case .received:
            instrument.record(.callback(.received))
            try? await queue.finishCallback(callback.lease)
        case .failed, .refused, .postponed: await giveUp(callback, result)
        }
    }

    private func giveUp(_ callback: LeasedCallback, _ result: CallbackResult) async {
        instrument.record(.callback(.refused))
        instrument.record(.callbackGivenUp(callback.name, tries: callback.attempt, result))
        try? await queue.finishCallback(callback.lease)
    }
}

private final class FreeSlots: Sendable {
    private let slots: Atomic<Int>

    init(_ count: Int) { slots = Atomic(count) }

    var count: Int { slots.load(ordering: .relaxed) }

    func take(_ count: Int) { slots.wrappingSubtract(count, ordering: .relaxed) }

    func give() { slots.wrappingAdd(1, ordering: .relaxed) }
}
