import Downloads
package import Media
import Synchronization
package import Timing

/// A bucket of an S3-compatible store that ready files are put into, so that phones fetch them from there.
///
/// Each request has a deadline. What may pass is tried again while time is left; a bucket that fails again and again is
/// left alone for a while, and then tried by single files until it works.
package final class Bucket: Sendable {
    private typealias Attempt = Task<Result<Void, BucketFault>, Never>

    private struct State {
        var names = PublishedNames()
        var underWay: [String: Attempt] = [:]
        var breaker: CircuitBreaker
        /// How it failed last, for those who are refused.
        var lastFault: BucketFault?
        var time = LearntDuration(Bucket.firstGuess)
    }

    package let address: BucketAddress
    private let requests: BucketRequests
    private let keep: Duration
    private let time: any TimeSource
    private let observe: @Sendable (PublishEvent) -> Void
    private let state: Mutex<State>

    /// How often one file is tried.
    private static let attemptLimit = 4
    /// How long the first file is taken to take.
    private static let firstGuess: Duration = .milliseconds(200)
    /// More than this isn't learnt from one file that took too long.
    private static let longestLesson: Duration = .seconds(10)

    /// `keep` is how long files are of use: caches may have them for so long. Throws when the process has no memory or
    /// thread left.
    package init(
        _ settings: PublishingSettings,
        keep: Duration,
        time: any TimeSource = SystemTime(),
        observe: @escaping @Sendable (PublishEvent) -> Void = { _ in },
    ) throws(AttachmentFailure) {
        address = settings.address
        requests = try BucketRequests(settings, keep: keep)
        self.keep = keep
        self.time = time
        self.observe = observe
        state = Mutex(State(breaker: CircuitBreaker(settings.breaker)))
    }

    package func shutDown() { requests.stop() }

    /// How long putting a file nearly always takes, learnt from those before.
    package var cost: Duration { state.withLock(\.time.nearlyAlways) }

    /// Why nothing can be put there now, which is known without trying; `nil` when it is worth a try.
    package var refusal: AttachmentFailure? {
        let now = time.now
        return state.withLock { state in
            state.breaker.refusal(at: now).map { fault(of: $0, state, now).failure }
        }
    }

    /// Whether the file is there, and need not be put again.
    package func has(_ name: String) -> Bool {
        let now = time.now
        return state.withLock { $0.names.contains(name, at: now) }
    }

    /// Puts the file there, unless it is there already, and returns when it can be fetched.
    package func publish(_ file: PublishedFile, until deadline: Instant) async throws(AttachmentFailure) {
        while true {
            guard !has(file.name) else { return observe(.reused) }
            let (attempt, isOurs) = attempt(file, until: deadline)
            switch await attempt.value {
            case .success: return
            // Another one's time was over before this one's.
            case .failure(let fault) where fault.isLate && !isOurs && hasTime(until: deadline): continue
            case .failure(let fault): throw fault.failure
            }
        }
    }

    /// Whether files can be put there and removed, found out with an empty one. Gives a remark where it could be put and
    /// not removed, which attachd can do without.
    package func check(until deadline: Instant) async throws(AttachmentFailure) -> String? {
        let name = "attachd-check-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        do throws(BucketFault) {
            try await requests.putEmpty(name, until: deadline)
        } catch {
            throw error.failure
        }
        do throws(BucketFault) {
            try await requests.delete(name, until: deadline)
            return nil
        } catch {
            return "\(address.prefix)\(name) was left there: \(error.failure.message)"
        }
    }

    /// Removes a file from the bucket. One that isn't there is no error.
    package func remove(_ name: String, until deadline: Instant) async throws(AttachmentFailure) {
        // One that is being put there would come after it.
        if let attempt = state.withLock({ $0.underWay[name] }) { _ = await attempt.value }
        state.withLock { $0.names.remove(name) }
        do throws(BucketFault) {
            try await requests.delete(name, until: deadline)
        } catch {
            throw error.failure
        }
    }

    // MARK: - One file

    /// The same file is put once at a time, by whoever came first.
    private func attempt(_ file: PublishedFile, until deadline: Instant) -> (Attempt, isOurs: Bool) {
        state.withLock { state in
            if let other = state.underWay[file.name] { return (other, false) }
            let attempt = Attempt {
                let result = await put(file, until: deadline)
                self.state.withLock { _ = $0.underWay.removeValue(forKey: file.name) }
                return result
            }
            state.underWay[file.name] = attempt
            return (attempt, true)
        }
    }

    private func put(_ file: PublishedFile, until deadline: Instant) async -> Result<Void, BucketFault> {
        var backOff = BackOff()
        while true {
            do throws(BucketFault) {
                try await putOnce(file, until: deadline)
                return .success(())
            } catch {
                let pause = backOff.next()
                guard error.isPassing, backOff.failures < Self.attemptLimit, hasTime(until: deadline - pause),
                    (try? await time.sleep(until: time.now + pause)) != nil
                else {
                    observe(.failed)
                    return .failure(error)
                }
                observe(.retried)
            }
        }
    }

    private func putOnce(_ file: PublishedFile, until deadline: Instant) async throws(BucketFault) {
        let start = time.now
        let pass = try state.withLock { state throws(BucketFault) in
            do throws(CircuitBreaker.Refusal) {
                return try state.breaker.pass(at: start)
            } catch {
                throw fault(of: error, state, start)
            }
        }
        do throws(BucketFault) {
            try await requests.put(file, until: deadline)
            succeeded(file, pass, since: start)
        } catch {
            failed(error, pass, since: start)
            throw error
        }
    }

    /// Whether one request may well be done until then.
    private func hasTime(until deadline: Instant) -> Bool {
        time.now + state.withLock(\.time.typical) < deadline
    }

    private func succeeded(_ file: PublishedFile, _ pass: CircuitBreaker.Pass, since start: Instant) {
        let now = time.now
        state.withLock { state in
            state.breaker.finish(pass, .success, at: now, jitter: .random(in: 0...1))
            state.time.learn(now - start)
            // Caches and the bucket's own rules may count from here, so it is put again in good time.
            state.names.insert(file.name, until: now + keep / 2, at: now)
        }
        observe(.published(byteCount: file.byteCount, took: now - start))
    }

    private func failed(_ fault: BucketFault, _ pass: CircuitBreaker.Pass, since start: Instant) {
        let now = time.now
        state.withLock { state in
            // A bucket that refuses is of no more use than one that isn't there; one that had no time says nothing.
            let hadTime = !fault.isLate || now - start >= state.time.typical
            state.breaker.finish(pass, hadTime ? .unreachable : .unknown, at: now, jitter: .random(in: 0...1))
            state.lastFault = fault
            if fault.isLate { state.time.learn(min((now - start) * 2, Self.longestLesson)) }
        }
    }

    private func fault(of refusal: CircuitBreaker.Refusal, _ state: State, _ now: Instant) -> BucketFault {
        BucketFault(refusedFor: refusal.until.map { $0 - now }, after: state.lastFault, address)
    }
}
