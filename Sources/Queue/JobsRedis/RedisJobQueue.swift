import Foundation
package import Jobs
import Media
import RedisWire
package import Timing

/// The queue of many machines: Redis Streams, one of each priority, with a consumer group.
///
/// An entry that was read stays with its worker until it is finished, or until it wasn't renewed for so long that another
/// worker claims it. How often it was delivered is the fence of a lease. Starts are counted beside the stream: a job that
/// was delivered and never started says nothing about itself. Every change is a script, which the server runs whole or
/// not at all. Deadlines are kept on the server's clock, whose time comes along with every entry that is read.
///
/// `Samples/redis/README.md` has the protocol, as producers in other languages need it.
package final class RedisJobQueue: JobQueue {
    /// How long a blocking read blocks: jobs that were given back are looked for so often, and a cancelled one ends.
    static let readTime = Duration.milliseconds(500)

    let settings: RedisSettings
    let limits: QueueLimits
    let time: any TimeSource
    /// What the group calls this worker; no other one has the name, before or after.
    let worker: String
    let commands: RedisConnection
    /// For reads that block, and would hold up everything else.
    let reads: RedisConnection
    let answers: AnswerWatch

    /// Connects with the first call. At each connection the server is checked: one that is too old is refused, and so is
    /// one whose configuration may lose jobs if `isStrict`; else `onWarning` is told what that is.
    package init(
        _ settings: RedisSettings,
        limits: QueueLimits = QueueLimits(),
        isStrict: Bool = false,
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        time: any TimeSource = SystemTime(),
    ) throws(JobQueueError) {
        self.settings = settings
        self.limits = limits
        self.time = time
        worker = Self.makeWorkerName()
        let preparation =
            Script.all.map(\.load) + [
                Script.prepare.command(
                    settings.prefix,
                    ["\(limits.backlog)", "\(limits.tenantBacklog)", "\(limits.answerBytes)"].map { Array($0.utf8) },
                )
            ]
        let name = "attachd-\(worker)"
        func connection(_ name: String, onWarning: @escaping @Sendable (String) -> Void) throws(JobQueueError)
            -> RedisConnection
        {
            let check = { @Sendable (info: String) throws(JobQueueError) in
                let check = try ServerCheck(info: info)
                if isStrict { try check.insist() }
                check.warnings.forEach(onWarning)
            }
            return try RedisConnection(settings, name: name, preparation: preparation, check: check, time: time)
        }
        commands = try connection(name, onWarning: onWarning)
        reads = try connection(name + "-reads", onWarning: { _ in })
        answers = AnswerWatch(commands, time: time)
    }

    package func leave() async throws {
        try await run(.leave, [worker])
        await reads.leave()
        await commands.leave()
        answers.leave()
    }

    /// What the server's configuration puts at risk, in words for a log; refused if `strict`. A server that is too old is
    /// refused always.
    package func serverWarnings(strict: Bool = false) async throws -> [String] {
        let replies = try await replies(to: [RedisCommand("INFO")], on: commands, repeatable: true)
        let check = try ServerCheck(info: replies[0].text ?? "")
        if strict { try check.insist() }
        return check.warnings
    }

    /// Runs a script; its arguments are texts.
    @discardableResult
    func run(_ script: Script, _ arguments: [String]) async throws -> RedisReply {
        try await run(script, arguments.map { Array($0.utf8) })
    }

    @discardableResult
    func run(_ script: Script, _ arguments: [[UInt8]]) async throws -> RedisReply {
        let command = script.command(settings.prefix, arguments)
        return try await replies(to: [command], on: commands, repeatable: script.isRepeatable)[0]
    }

    func replies(
        to requests: [RedisCommand],
        on connection: RedisConnection,
        blocking: Duration = .zero,
        repeatable: Bool = false,
    ) async throws -> [RedisReply] {
        do {
            return try await connection.send(requests, blocking: blocking, repeatable: repeatable)
        } catch let failure as RedisFailure {
            throw failure.queueError(at: settings.address)
        }
    }

    /// Where the answer to a job is kept. The length keeps names apart that have colons.
    func resultKey(_ name: JobName) -> String {
        "\(settings.prefix)res:\(name.tenant.utf8.count):\(name.tenant):\(name.id)"
    }

    /// The answer, from what is kept: the status, a newline and the body.
    func answer(_ bytes: [UInt8]) throws(JobQueueError) -> JobReply {
        let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let status = JobReply.Status(rawValue: String(decoding: parts[0], as: UTF8.self))
        else { throw Self.invalidReply("an answer without a status") }
        return JobReply(status, body: Array(parts[1]))
    }

    static func invalidReply(_ what: String) -> JobQueueError {
        JobQueueError(.broken, "The queue's Redis has \(what); does anything else write there?")
    }

    /// Host, process and something random.
    private static func makeWorkerName() -> String {
        let file = try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
        let host = (file ?? "worker").filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
        let random = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return "\(host.prefix(64))-\(ProcessInfo.processInfo.processIdentifier)-\(random)"
    }
}
