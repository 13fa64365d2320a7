import ServiceExtension
import Support
import Timing

/// An extension with scripted behaviour.
struct ScriptedExtension: Sendable {
    enum Behaviour: Sendable, Equatable {
        case returns
        /// An extension that changes the best attempt, then throws.
        case fails
        /// An extension that never ends, and ignores cancellation.
        case hangs
        /// An extension that changes the best attempt, sends the signal, then never ends.
        case marksAndHangs(Signal)
        case endsAtExpiry
        /// An extension that ends an hour after the deadline, even if it is cancelled.
        case sleepsPastExpiry
    }

    struct Failure: Error {}

    let behaviour: Behaviour
    let time: TestTime
    let expiry: Instant

    func run(_ bestAttempt: BestAttempt) async throws {
        switch behaviour {
        case .returns:
            bestAttempt.update(0) { $0.isComplete = true }
        case .fails:
            bestAttempt.update(0) { $0.source.fetched = 1 }
            throw Failure()
        case .hangs:
            await Signal().wait()
        case .marksAndHangs(let reached):
            bestAttempt.update(0) { $0.source.fetched = 1 }
            reached.send()
            await Signal().wait()
        case .endsAtExpiry:
            try? await time.sleep(until: expiry)
        case .sleepsPastExpiry:
            try? await time.sleep(until: expiry + .seconds(3600))
        }
    }
}
