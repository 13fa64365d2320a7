package import Base
import FoundationEssentials
package import Jobs
import Media
import Synchronization

/// A queue for many machines: one Redis Stream for each priority, with a consumer group, and an index of waiting entries
/// by tenant and deadline.
///
/// An entry belongs to its worker until it is finished, or until its lease ends without renewal and another worker
/// claims it. The fence of a lease is the entry's delivery count. Starts are counted separately, because a job that was
/// delivered and never started did not kill its worker. Every change is a script, which the server runs completely or
/// not at all. Deadlines are times of the server's clock, which comes with every reply.
///
/// `Samples/redis/README.md` has the protocol, as producers in other languages need it.
package final class RedisJobQueue: JobQueue {
    /// The duration of a blocking read. Between two reads, the worker looks for jobs that were given back and for its
    /// own cancellation.
    static let readTime = Duration.milliseconds(500)

    let settings: RedisSettings
    let limits: QueueLimits
    let time: any TimeSource
    let recorder: any EventRecorder<QueueEvent>
    /// The name of this worker in the consumer group, never used by another worker.
    let worker: String
    let commands: RedisConnection
    /// The connection for blocking reads, which would delay all other commands.
    let reads: RedisConnection
    let answers: AnswerWatch

    /// The server's clock, as far as all replies tell.
    private let clock = Mutex(RemoteClock())

    /// A Boolean value that indicates whether the server refused jobs for lack of memory at the last `status`.
    let isShortOfMemory = Atomic(false)

    /// The watch for new primaries, if sentinels know the primary.
    private let watch: SwitchWatch?

    /// Creates a queue that connects with its first call. Each new connection checks the server. It refuses a server
    /// that is too old and, if `isStrict`, one whose configuration may lose jobs. Otherwise it records
    /// each risk as an event. If `isStrict` and sentinels may promote a replica, calls that acknowledge something wait
    /// until the replicas have it.
    ///
    /// A guest only looks at the queue, or adds to it. It leaves the limits that the workers have set.
    package init(
        _ settings: RedisSettings,
        limits: QueueLimits = QueueLimits(),
        isStrict: Bool = false,
        isGuest: Bool = false,
        recorder: any EventRecorder<QueueEvent> = NoRecorder<QueueEvent>(),
        time: any TimeSource = SystemTime(),
    ) throws(JobQueueError) {
        self.settings = settings
        self.limits = limits
        self.time = time
        self.recorder = recorder
        worker = Self.makeWorkerName()
        let preparation =
            Script.all.map(\.load) + [
                Script.prepare.command(
                    settings.prefix,
                    ([isGuest ? "keep" : "set"] + limits.words).map { Array($0.utf8) },
                )
            ]
        let name = "attachd-\(worker)"
        let dialer = try RedisDialer(settings, time: time)
        let passwordRule = PasswordRule(settings, dialer, recorder)
        let finder = settings.sentinels.map { PrimaryFinder($0, dialer, passwordRule) }
        func connection(_ name: String, recorder: any EventRecorder<QueueEvent>) -> RedisConnection {
            let check = { @Sendable (info: ServerInfo) throws(JobQueueError) in
                let check = try ServerCheck(info, hasSentinels: finder != nil)
                if isStrict { try check.insist() }
                for warning in check.warnings { recorder.record(.mayLoseJobs(warning)) }
            }
            let opener = LinkOpener(
                settings,
                dialer: dialer,
                finder: finder,
                name: name,
                preparation: preparation,
                check: check,
                confirms: isStrict && finder != nil,
            )
            return RedisConnection(opener, time: time)
        }
        let commands = connection(name, recorder: recorder)
        let reads = connection(name + "-reads", recorder: NoRecorder<QueueEvent>())
        (self.commands, self.reads) = (commands, reads)
        answers = AnswerWatch(commands, time: time)
        watch = settings.sentinels.map { SwitchWatch($0, dialer, time: time) }
        watch?.start { server in
            for connection in [commands, reads] { connection.move(to: server) }
        }
    }

    package func leave() async throws {
        try await run(.leave, [worker])
        await reads.leave()
        await commands.leave()
        answers.leave()
        watch?.leave()
    }

    package var fleet: (any FleetStore)? { self }

    package var warnings: Set<QueueWarning> { isShortOfMemory.load(ordering: .relaxed) ? [.memoryFull] : [] }

    package var problem: JobQueueError? { commands.failure?.queueError(at: settings.address) }

    package func checkServer() async throws { _ = try await serverWarnings() }

    /// Returns the risks of the server's configuration as messages for a log. Throws for any risk if `strict`, and
    /// always for a server that is too old.
    package func serverWarnings(strict: Bool = false) async throws -> [String] {
        let replies = try await replies(to: [RedisCommand("INFO")], on: commands, repeatable: true)
        let check = try ServerCheck(ServerInfo(replies[0].text ?? ""), hasSentinels: settings.sentinels != nil)
        if strict { try check.insist() }
        return check.warnings
    }

    /// Returns the server in words: its address, version and replicas.
    package func serverDescription() async throws -> String {
        let replies = try await replies(to: [RedisCommand("INFO")], on: commands, repeatable: true)
        let info = ServerInfo(replies[0].text ?? "")
        let server = commands.server ?? settings.server
        return "Redis \(info["redis_version"] ?? "") at \(server), followed by \(info.replicas) replicas."
    }

    /// Returns the server's clock from the time in a reply to a request that was sent at `asked`.
    func serverClock(_ reply: RedisReply?, asked: Instant) -> ServerClock? {
        let received = time.now
        return clock.withLock { ServerClock(reply, asked: asked, received: received, &$0) }
    }

    /// Returns the server's clock from the reply to TIME.
    func serverClock(time reply: RedisReply, asked: Instant) -> ServerClock? {
        let received = time.now
        return clock.withLock { ServerClock(time: reply, asked: asked, received: received, &$0) }
    }

    /// Reads the server's clock before the first jobs come, so that no delay of theirs is taken for a difference of clocks.
    func readClock() async throws {
        guard !clock.withLock(\.isKnown) else { return }
        let asked = time.now
        let replies = try await replies(to: [RedisCommand("TIME")], on: commands, repeatable: true)
        _ = serverClock(time: replies[0], asked: asked)
    }

    /// Runs a script with text arguments.
    @discardableResult
    func run(_ script: Script, _ arguments: [String]) async throws -> RedisReply {
        try await run(script, arguments.map { Array($0.utf8) })
    }

    @discardableResult
    func run(_ script: Script, _ arguments: [[UInt8]]) async throws -> RedisReply {
        let command = script.command(settings.prefix, arguments)
        return try await replies(
            to: [command],
            on: commands,
            repeatable: script.isRepeatable,
            isAcknowledged: script.isAcknowledged
        )[0]
    }

    func replies(
        to requests: [RedisCommand],
        on connection: RedisConnection,
        blocking: Duration = .zero,
        repeatable: Bool = false,
        isAcknowledged: Bool = false,
    ) async throws -> [RedisReply] {
        do {
            return try await connection.send(
                requests,
                blocking: blocking,
                repeatable: repeatable,
                isAcknowledged: isAcknowledged
            )
        } catch let failure as RedisError {
            throw failure.queueError(at: settings.address)
        }
    }

    /// Returns once replicas have all changes so far, in a queue that waits for them.
    func confirm() async throws {
        do {
            try await commands.confirm()
        } catch let failure as RedisError {
            throw failure.queueError(at: settings.address)
        }
    }

    /// Returns the key of a job's answer. The length of the tenant's name keeps names with colons apart.
    func resultKey(_ name: JobName) -> String {
        "\(settings.prefix)res:\(name.tenant.utf8.count):\(name.tenant):\(name.id)"
    }

    /// Reads an answer from its stored form: the status, a newline and the body.
    func answer(_ bytes: [UInt8]) throws(JobQueueError) -> JobReply {
        let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let status = JobReply.Status(rawValue: String(decoding: parts[0], as: UTF8.self))
        else { throw Self.invalidReply("an answer without a status") }
        return JobReply(status, body: Array(parts[1]))
    }

    static func invalidReply(_ what: String) -> JobQueueError {
        JobQueueError(.broken, "The queue's Redis has \(what). Check whether another program writes to its keys.")
    }

    /// Makes a name from the host, the process and a random part.
    private static func makeWorkerName() -> String {
        let host = (HostName.current ?? "worker").filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".")
        }
        let random = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return "\(host.prefix(64))-\(ProcessInfo.processInfo.processIdentifier)-\(random)"
    }
}

extension QueueLimits {
    /// The arguments of the script `prepare`.
    fileprivate var words: [String] {
        var words = ["\(backlog)", "\(tenantBacklog)", "\(answerBytes)", "backlogBytes", "\(backlogBytes)"]
        if let named = shares.named { words += ["share", "\(named)"] }
        for (name, share) in shares.byName { words += ["share:\(name)", "\(share)"] }
        // With commas around each name, so that a script finds a name by one search.
        let listed = shares.lines.listed.sorted()
        if !listed.isEmpty { words += ["listed", ",\(listed.joined(separator: ",")),"] }
        return words
    }
}

// MARK: - Producers

extension RedisJobQueue {
    package func enqueue(_ job: Job) async throws -> Enqueued {
        try job.check()
        let command = Script.enqueue.command(settings.prefix, [Array(job.priority.stream.utf8)] + job.fields)
        do {
            return try enqueued(try await commands.send([command], isAcknowledged: true)[0])
        } catch RedisError.outOfMemory {
            return .outOfMemory
        } catch let failure as RedisError {
            throw failure.queueError(at: settings.address)
        }
    }

    /// Interprets the answer of the script `enqueue`.
    func enqueued(_ reply: RedisReply) throws(JobQueueError) -> Enqueued {
        switch (reply.elements?.first?.text, reply.elements?.last) {
        case ("OK", _): return .accepted
        case ("DUP", _): return .known
        case ("BUSY", .bytes(let bytes)?) where bytes == Array("tenant".utf8): return .overShare
        case ("BUSY", .bytes(let bytes)?) where bytes == Array("memory".utf8): return .outOfMemory
        case ("BUSY", _): return .busy
        case ("DONE", .bytes(let bytes)): return .finished(try answer(bytes))
        default: throw Self.invalidReply("an invalid answer to a job")
        }
    }

    package func state(of name: JobName, waiting waitTime: Duration) async throws -> JobState {
        let deadline = time.now + waitTime
        let key = resultKey(name)
        let state = try await state(key)
        guard state == .waiting || state == .running, waitTime > .zero else { return state }
        try await answers.wait(for: key, until: deadline)
        return try await self.state(key)
    }

    private func state(_ key: String) async throws -> JobState {
        switch try await run(.state, [key]) {
        case .null: return .unknown
        case .bytes(let bytes) where bytes == Array("waiting".utf8): return .waiting
        case .bytes(let bytes) where bytes == Array("running".utf8): return .running
        case .bytes(let bytes): return .finished(try answer(bytes))
        default: throw Self.invalidReply("an invalid state of a job")
        }
    }

    package func cancel(_ name: JobName) async throws -> Cancellation {
        let reason = "The producer cancelled the job."
        let reply = try await run(.cancel, [resultKey(name), reason, "\(limits.replyTime.milliseconds)"])
        switch reply.text {
        case "cancelled": return .cancelled
        case "running": return .running
        case "finished": return .finished
        case "unknown": return .unknown
        default: throw Self.invalidReply("an invalid answer to a cancellation")
        }
    }
}
