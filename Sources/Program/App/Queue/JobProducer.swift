package import Base
import HTTPClient
package import Jobs
import Logging
import Media
import Payloads
import Processing
package import Settings

/// The destination of jobs from the command line: the queue itself, or the attachd process that has its file open.
package struct JobProducer: Sendable {
    private enum Backend: Sendable {
        case queue(any JobQueue)
        case sidecar(SidecarClient)
        /// A queue's file that this process does not have open any more. Each look at it opens and closes it.
        case file(any QueueAddress)
    }

    private var backend: Backend

    package static func open(_ settings: Settings) async throws -> JobProducer {
        do {
            return JobProducer(backend: .queue(try await settings.openQueue()))
        } catch let error as JobQueueError where error.reason == .inUse {
            return JobProducer(backend: .sidecar(try SidecarClient(settings)))
        }
    }

    package func enqueue(_ job: Job) async throws -> Enqueued {
        switch backend {
        case .queue(let queue): try await queue.enqueue(job)
        case .sidecar(let sidecar): try await sidecar.enqueue(job)
        case .file: throw JobQueueError(.misconfigured, "The queue is open for reading only.")
        }
    }

    /// Ends enqueueing. Closes a queue's file, because only one process can have it open, and the answers come from a
    /// worker.
    package mutating func finishEnqueueing(_ settings: Settings) async {
        guard case .queue(let queue) = backend, !settings.queue.isShared else { return }
        await queue.shutDown()
        backend = .file(settings.queue)
    }

    /// Returns the state of a job. Waits up to the given time for its answer, but not for one in a file.
    package func state(of name: JobName, waiting waitTime: Duration) async throws -> JobState {
        switch backend {
        case .queue(let queue): try await queue.state(of: name, waiting: waitTime)
        case .sidecar(let sidecar): try await sidecar.state(of: name, waiting: waitTime)
        case .file(let address): try await address.listing()?.state(of: name) ?? .unknown
        }
    }

    /// The number of workers that reported to the queue recently; `nil` if it is unknown.
    package var workerCount: Int? {
        get async {
            guard case .queue(let queue) = backend else { return nil }
            return try? await queue.load().load.workers.count
        }
    }

    package func shutDown() async {
        switch backend {
        case .queue(let queue): await queue.shutDown()
        case .sidecar(let sidecar): sidecar.shutDown()
        case .file: break
        }
    }
}

// MARK: - Orders

extension Job {
    /// Creates the job of a payload with the options of `attachd enqueue`. Throws if the payload is not valid or the
    /// options contradict each other.
    package init(
        of payload: [UInt8],
        id: String?,
        tenant: String?,
        profile: String?,
        callback: String?,
        _ settings: Settings,
    ) throws {
        // The worker decides which addresses are allowed: its configuration may differ from this one.
        if let refusal = callback.flatMap({ CallbackURL.refusal(of: $0) }) {
            throw RequestError.envelope("The --callback URL can never be used: \(refusal).")
        }
        let id = id ?? RandomIdentifier.make()
        var members = [
            JSONValue.Member("id", .string(id)), .init("payload", try JSONValue(parsing: payload)),
            .init("deadline", .string("\(settings.deadline.milliseconds)ms")),
        ]
        if let tenant { members.append(.init("tenant", .string(tenant))) }
        if let profile { members.append(.init("profile", .string(profile))) }
        if let callback { members.append(.init("callback", .string(callback))) }
        let content = JSONValue.object(members).compactBytes
        _ = try NotificationEnvelope(content, isJob: true)
        self.init(
            id: id,
            tenant: tenant ?? Job.defaultTenant,
            timeLimit: settings.deadline,
            content: content,
            answer: .init(callback: callback),
        )
    }
}

// MARK: - Results

/// The wait for the results of jobs that this process has enqueued. It ends soon after each job's deadline at the latest:
/// a queue without a worker never answers.
package struct ResultWait: Sendable {
    /// The end of the wait for one job.
    package enum Outcome: Sendable, Equatable {
        case finished(JobReply)
        /// The queue no longer keeps the job's answer.
        case unknown
        /// The job has no answer, although its deadline has passed. `isTaken` tells whether a worker works on it.
        case late(isTaken: Bool)
    }

    /// The time after which a job that no worker has taken is worth a word.
    package static let notice: Duration = .seconds(2)
    /// The time after its deadline in which a job may still be answered: by a worker that takes over another one's jobs.
    package static let grace: Duration = .seconds(5)
    /// The shortest time between two questions about a job.
    private static let pause: Duration = .milliseconds(200)
    /// The longest time of one question.
    private static let longestQuestion: Duration = .seconds(10)

    private let time: any TimeSource
    /// Returns the state of a job. Waits up to the given time for its answer.
    private let state: @Sendable (JobName, Duration) async throws -> JobState

    package init(
        time: any TimeSource = SystemTime(),
        state: @escaping @Sendable (JobName, Duration) async throws -> JobState,
    ) {
        self.time = time
        self.state = state
    }

    /// Waits for the answer to a job. Calls `notify` once if no worker has taken the job for a while.
    package func outcome(
        of name: JobName,
        deadline: Instant,
        notify: () async -> Void,
    ) async throws -> Outcome {
        let end = deadline + Self.grace
        var noticeTime: Instant? = time.now + Self.notice
        while true {
            let asked = time.now
            let waitTime = max(.zero, min(Self.longestQuestion, min(noticeTime ?? end, end) - asked))
            let state = try await state(name, waitTime)
            switch state {
            case .finished(let reply): return .finished(reply)
            case .unknown: return .unknown
            case .waiting, .running: break
            }
            if let due = noticeTime, time.now >= due {
                noticeTime = nil
                if state == .waiting { await notify() }
            }
            guard time.now < end else { return .late(isTaken: state == .running) }
            // A busy server answers before the time is over, and a file at once.
            if time.now < asked + waitTime { try await time.sleep(until: min(end, time.now + Self.pause)) }
        }
    }
}
