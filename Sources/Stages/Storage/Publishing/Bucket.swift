package import Base
package import HTTPClient
package import Media
import Synchronization

/// A bucket of an S3-compatible store to which ready files are published, so that phones fetch them from there.
///
/// Each request has a deadline. Temporary failures are retried while time is left. After repeated failures, the bucket
/// is not used for a while, and then tried with single files until it works.
package final class Bucket: Sendable {
    private struct State {
        var names = PublishedNames()
        var breaker: CircuitBreaker
        /// The last failure, reported to refused callers.
        var lastError: BucketError?
        var time = LearntDuration(Bucket.firstGuess)
    }

    package let address: BucketAddress
    private let requests: BucketRequests
    private let keep: Duration
    private let time: any TimeSource
    private let recorder: any EventRecorder<PublishEvent>
    private let state: Mutex<State>
    /// The attempts to publish a file, by its name.
    private let attempts = SingleFlight<String, Result<Void, BucketError>>()

    /// The maximum number of attempts for one file.
    private static let attemptLimit = 4
    /// The assumed duration of publishing the first file.
    private static let firstGuess: Duration = .milliseconds(200)
    /// The upper bound of a duration learned from one slow file.
    private static let longestLesson: Duration = .seconds(10)

    /// Creates a bucket. `keep` is the lifetime of files, for which caches may keep them.
    package init(
        _ settings: PublishingSettings,
        keep: Duration,
        time: any TimeSource = SystemTime(),
        recorder: any EventRecorder<PublishEvent> = NoRecorder<PublishEvent>(),
    ) {
        address = settings.address
        requests = BucketRequests(settings, keep: keep)
        self.keep = keep
        self.time = time
        self.recorder = recorder
        state = Mutex(State(breaker: CircuitBreaker(settings.breaker)))
    }

    package func shutDown() { requests.stop() }

    /// A duration that is nearly always enough to publish a file, learned from earlier files.
    package var cost: Duration { state.withLock(\.time.nearlyAlways) }

    /// The reason why publishing is suspended, or `nil` if it may be attempted.
    package var refusal: AttachmentFailure? {
        let now = time.now
        return state.withLock { state in
            state.breaker.refusal(at: now).map { bucketError(of: $0, state, now).failure }
        }
    }

    /// Returns whether the file is already in the bucket and need not be published again.
    package func has(_ name: String) -> Bool {
        let now = time.now
        return state.withLock { $0.names.contains(name, at: now) }
    }

    /// Returns the time for which the file is certainly in the bucket; `nil` if this process has not published it.
    package func remainingTime(of name: String) -> Duration? {
        let now = time.now
        return state.withLock { $0.names.end(of: name).map { max(.zero, $0 - now) } }
    }

    /// Notes that another worker of the fleet has published the file, which is there for so long.
    package func adopt(_ name: String, for remaining: Duration) {
        let end = time.now + remaining
        state.withLock { state in
            if state.names.end(of: name).map({ $0 < end }) ?? true { state.names.insert(name, until: end) }
        }
    }

    /// Has the file published again by the next caller.
    package func release(_ name: String) { state.withLock { $0.names.remove(name) } }

    /// Publishes the file unless it is already there. Returns when the file can be fetched.
    package func publish(_ file: PublishedFile, until deadline: Instant) async throws(AttachmentFailure) {
        while true {
            guard !has(file.name) else { return recorder.record(.reused) }
            let (result, isOurs) = await attempts.value(of: file.name) { await self.put(file, until: deadline) }
            switch result {
            case .success: return
            // Another caller's attempt ran out of time, and this caller has time left.
            case .failure(let error) where error.isLate && !isOurs && hasTime(until: deadline): continue
            case .failure(let error): throw error.failure
            }
        }
    }

    /// Checks with an empty file whether files can be published and removed. If the file could be published but not
    /// removed, returns a remark: attachd can work without removing files.
    package func check(until deadline: Instant) async throws(AttachmentFailure) -> String? {
        let name = "attachd-check-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        do throws(BucketError) {
            try await requests.putEmpty(name, until: deadline)
        } catch {
            throw error.failure
        }
        do throws(BucketError) {
            try await requests.delete(name, until: deadline)
            return nil
        } catch {
            return "\(address.prefix)\(name) could not be removed: \(error.failure.message)"
        }
    }

    /// Removes a file from the bucket. A missing file is not an error.
    package func remove(_ name: String, until deadline: Instant) async throws(AttachmentFailure) {
        // Wait for an attempt in progress, which would add the file again afterwards.
        await attempts.rest(of: name)
        state.withLock { $0.names.remove(name) }
        do throws(BucketError) {
            try await requests.delete(name, until: deadline)
        } catch {
            throw error.failure
        }
    }

    // MARK: - One file

    private func put(_ file: PublishedFile, until deadline: Instant) async -> Result<Void, BucketError> {
        var backOff = BackOff()
        while true {
            do throws(BucketError) {
                try await putOnce(file, until: deadline)
                return .success(())
            } catch {
                let pause = backOff.next()
                guard error.isPassing, backOff.failures < Self.attemptLimit, hasTime(until: deadline - pause),
                    (try? await time.sleep(for: pause)) != nil
                else {
                    recorder.record(.failed)
                    return .failure(error)
                }
                recorder.record(.retried)
            }
        }
    }

    private func putOnce(_ file: PublishedFile, until deadline: Instant) async throws(BucketError) {
        let start = time.now
        let pass = try state.withLock { state throws(BucketError) in
            do throws(CircuitBreaker.OpenError) {
                return try state.breaker.pass(at: start)
            } catch {
                throw bucketError(of: error, state, start)
            }
        }
        do throws(BucketError) {
            try await requests.put(file, until: deadline)
            succeeded(file, pass, since: start)
        } catch {
            failed(error, pass, since: start)
            throw error
        }
    }

    /// Returns whether one request is likely to finish by `deadline`.
    private func hasTime(until deadline: Instant) -> Bool {
        time.now + state.withLock(\.time.typical) < deadline
    }

    private func succeeded(_ file: PublishedFile, _ pass: CircuitBreaker.Pass, since start: Instant) {
        let now = time.now
        state.withLock { state in
            state.breaker.finish(pass, .success, at: now, jitter: .random(in: 0...1))
            state.time.learn(now - start)
            // Caches and the bucket's own rules may count from now, so the file is published again well before `keep`
            // ends.
            state.names.insert(file.name, until: now + keep / 2)
        }
        recorder.record(.published(byteCount: file.byteCount, took: now - start))
    }

    private func failed(_ error: BucketError, _ pass: CircuitBreaker.Pass, since start: Instant) {
        let now = time.now
        let isSuspended = state.withLock { state in
            // A refusal counts like an unreachable bucket. An attempt that had too little time does not count.
            let hadTime = !error.isLate || now - start >= state.time.typical
            let opened = state.breaker.finish(
                pass,
                hadTime ? .unreachable : .unknown,
                at: now,
                jitter: .random(in: 0...1)
            )
            state.lastError = error
            if error.isLate { state.time.learn(min((now - start) * 2, Self.longestLesson)) }
            return opened
        }
        if isSuspended { recorder.record(.suspended(error.failure.message)) }
    }

    private func bucketError(of refusal: CircuitBreaker.OpenError, _ state: State, _ now: Instant) -> BucketError {
        BucketError(refusedFor: refusal.until.map { $0 - now }, after: state.lastError, address)
    }
}

// MARK: - Settings

/// The bucket to which files are published, and its credentials.
package struct PublishingSettings: Sendable {
    package var address: BucketAddress
    package var credentials: CredentialsSource
    /// The settings of requests to the store. Because the operator names the store, it may have any address.
    package var requests = HTTPSettings()
    /// The rule for suspending requests after failures.
    package var breaker = CircuitBreaker.Rule()

    package init(address: BucketAddress, credentials: CredentialsSource, authoritiesFile: String? = nil) {
        self.address = address
        self.credentials = credentials
        requests.addresses = .everywhere
        requests.authoritiesFile = authoritiesFile
    }
}

// MARK: - Files

/// A file to publish to a bucket.
package struct PublishedFile: Sendable {
    /// The name below the bucket's prefix: letters, digits, dots and hyphens. Files of the same name have the same
    /// content.
    package var name: String
    package var format: MediaFormat
    package var file: OutputFile
    package var byteCount: Int
    /// The SHA-256 of the file, in lowercase hexadecimal.
    package var sha256: String

    package init(name: String, format: MediaFormat, file: OutputFile, byteCount: Int, sha256: String) {
        self.name = name
        self.format = format
        self.file = file
        self.byteCount = byteCount
        self.sha256 = sha256
    }
}

/// The files that this process has published, and the times until which they need not be published again.
struct PublishedNames {
    /// The maximum number of names, which take about 15 MB. A file whose name was evicted is published again, which
    /// costs only one request.
    private static let limit = 90_000

    private var ends = BoundedTable<String, Instant>(entryLimit: limit)

    func end(of name: String) -> Instant? { ends[name] }

    func contains(_ name: String, at now: Instant) -> Bool { ends[name].map { $0 > now } ?? false }

    mutating func remove(_ name: String) { ends.remove(name) }

    mutating func insert(_ name: String, until end: Instant) { ends.insert(end, for: name) }
}

// MARK: - Events

/// An event of publishing, for metrics and logs.
package enum PublishEvent: Sendable, Equatable {
    case published(byteCount: Int, took: Duration)
    /// The file was already in the bucket.
    case reused
    /// An attempt failed and is repeated.
    case retried
    case failed
    /// The bucket failed too often, last for this reason, and is not used for a while.
    case suspended(String)
}
