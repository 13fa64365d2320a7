package import Base
import Media
import Synchronization

/// A loop that posts answers to their callbacks until it is cancelled. Another worker then posts the remaining ones.
struct CallbackDelivery: Sendable {
    let queue: any JobQueue
    let poster: any CallbackPoster
    let policy: CallbackPolicy
    let time: any TimeSource
    let recorder: any EventRecorder<WorkerEvent>
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
                let limit = min(free.count, Self.leaseGroup)
                let leased = await recorder.answer { try await queue.leaseCallbacks(limit) } ?? []
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
        let result = await recorder.record({ .work($0, .posts(callback)) }) { activity in
            let result = await poster.post(CallbackRequest(callback, deadline: time.now + Self.postTime))
            recorder.record(.work(activity, .posted(result)))
            return result
        }
        guard !Task.isCancelled || result.outcome == .received else { return }
        let delay = policy.delay(after: callback, now: time.now, random: .random(in: 0...1))
        switch result.outcome {
        case .postponed where time.now - callback.answered <= policy.age:
            recorder.record(.callback(.postponed))
            // A random factor spreads callbacks that were postponed together.
            let pause = (result.pause ?? policy.firstDelay) * .random(in: 1...1.5)
            await recorder.answer { try await queue.postponeCallback(callback.lease, by: pause, isFailure: false) }
        case .failed where delay != nil:
            recorder.record(.callback(.failed))
            recorder.record(.callbackFailed(callback.name, tries: callback.failures + 1, result))
            await recorder.answer {
                try await queue.postponeCallback(callback.lease, by: delay ?? .zero, isFailure: true)
            }
        case .received:
            recorder.record(.callback(.received))
            await recorder.answer { try await queue.finishCallback(callback.lease) }
        case .failed, .refused, .postponed: await giveUp(callback, result)
        }
    }

    private func giveUp(_ callback: LeasedCallback, _ result: CallbackResult) async {
        recorder.record(.callback(.refused))
        recorder.record(.callbackGivenUp(callback.name, tries: callback.attempt, result))
        await recorder.answer { try await queue.finishCallback(callback.lease) }
    }
}

private final class FreeSlots: Sendable {
    private let slots: Atomic<Int>

    init(_ count: Int) { slots = Atomic(count) }

    var count: Int { slots.load(ordering: .relaxed) }

    func take(_ count: Int) { slots.wrappingSubtract(count, ordering: .relaxed) }

    func give() { slots.wrappingAdd(1, ordering: .relaxed) }
}

// MARK: - Attempts

/// The number and the timing of attempts to post a callback.
package struct CallbackPolicy: Sendable, Equatable {
    package var tries: Int
    /// The time from the answer to the last attempt.
    package var age: Duration
    /// The delay after the first failure. It doubles with each further failure.
    package var firstDelay: Duration
    package var longestDelay: Duration

    package init(
        tries: Int = 12,
        age: Duration = .seconds(3600),
        firstDelay: Duration = .seconds(1),
        longestDelay: Duration = .seconds(300),
    ) {
        self.tries = tries
        self.age = age
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// Returns whether a callback may be posted. Refuses one whose attempts all ended with their worker's death.
    package func allows(_ callback: LeasedCallback) -> Bool { callback.attempt <= tries }

    /// Returns the delay after one more failure, or `nil` if the callback is given up. `random`, from 0 to 1, changes
    /// the delay by up to a fifth in either direction, to spread callbacks that failed together.
    package func delay(after callback: LeasedCallback, now: Instant, random: Double) -> Duration? {
        guard callback.attempt < tries else { return nil }
        // Doubled twenty times, the delay is longer than any limit.
        let doubled = firstDelay * (1 << min(callback.failures, 20))
        let delay = min(doubled, longestDelay) * (0.8 + 0.4 * random)
        return now + delay - callback.answered <= age ? delay : nil
    }
}

// MARK: - Posters

/// A client that posts answers to the URLs that producers named.
package protocol CallbackPoster: Sendable {
    func post(_ callback: CallbackRequest) async -> CallbackResult
}

/// The outcome of one POST, and its reason.
package struct CallbackResult: Sendable, Equatable {
    package var outcome: CallbackOutcome
    /// The reason of a failure, for the operator. It never quotes the URL, which may be secret.
    package var reason: String?
    /// The server's host, if the URL has one.
    package var host: String?
    /// The delay before the next attempt, or `nil` if the policy decides.
    package var pause: Duration?

    package init(_ outcome: CallbackOutcome, reason: String? = nil, host: String? = nil, pause: Duration? = nil) {
        self.outcome = outcome
        self.reason = reason
        self.host = host
        self.pause = pause
    }
}

/// One POST.
package struct CallbackRequest: Sendable, Equatable {
    package var url: String
    /// The names and values of header fields in addition to the fields of every POST.
    package var headers: [String: String]
    package var body: [UInt8]
    /// The time at which the request fails.
    package var deadline: Instant

    package init(_ callback: LeasedCallback, deadline: Instant) {
        url = callback.url
        headers = [
            "Attachd-Job": callback.name.id,
            "Attachd-Status": callback.reply.status.rawValue,
            "Attachd-Attempt": String(callback.attempt),
        ]
        // The receiver continues the span of this attempt; without traces, the producer's.
        let trace = Activity.current?.span?.trace ?? callback.trace
        headers["traceparent"] = trace?.parent
        headers["tracestate"] = trace?.state
        body = callback.reply.body
        self.deadline = deadline
    }
}

package enum CallbackOutcome: String, Sendable, CaseIterable {
    case received
    /// The request failed, and a later attempt may succeed.
    case failed
    /// No attempt can succeed: the URL is invalid, its address is not allowed, or the server refuses further posts.
    case refused
    /// The server has too many posts in flight. No attempt was made.
    case postponed
}
