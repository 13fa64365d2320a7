import Base
import CCrypto
import Files
import Jobs
import Media

/// A Lua script that the server runs atomically. `KEYS[1]` is the prefix of the queue's keys. The script derives all
/// other keys from it; they share its hash tag, and so their node in a cluster.
struct Script: Sendable {
    let text: String
    /// A Boolean value that indicates whether the script is idempotent, so that it may be sent again after a lost
    /// connection.
    let isRepeatable: Bool
    /// A Boolean value that indicates whether the reply is an acknowledgement or an answer, which a strict queue gives
    /// only once replicas have it.
    let isAcknowledged: Bool
    /// The SHA-1 of the source, by which the server knows the script.
    private let digest: String

    /// Creates a script from its `parts`, which are files of Lua.
    private init(_ parts: [UInt8]..., isRepeatable: Bool = false, isAcknowledged: Bool = false) {
        self.isRepeatable = isRepeatable
        self.isAcknowledged = isAcknowledged
        let bytes = Array(parts.joined())
        text = String(decoding: bytes, as: UTF8.self)
        digest = Self.digest(bytes)
    }

    func command(_ prefix: String, _ arguments: [[UInt8]]) -> RedisCommand {
        RedisCommand(["EVALSHA", digest, "1", prefix].map { Array($0.utf8) } + arguments)
    }

    var load: RedisCommand { RedisCommand("SCRIPT", "LOAD", text) }

    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        return Hexadecimal.text(digest)
    }
}

// MARK: - The scripts

// The first lines of each file in `Lua` describe its script, its arguments and its reply.
extension Script {
    /// The scripts that the server must load before the queue is used.
    static let all = [
        prepare, noteHistory, enqueue, state, cancel, lease, reclaim, start, renew, finish, deadLetter, giveBack, leave,
        leaseCallbacks, finishCallback, postponeCallback, status, jobs, retry, purge, report, load, storeScaling,
        forget, record, takeBack, know, knowing, keep,
    ]

    private typealias Lua = PackageResources

    static let prepare = Script(Lua.past_limit_lua, Lua.prepare_lua)

    // For producers, also in other languages (`Samples/redis`).
    static let enqueue = Script(Lua.enqueue_lua)
    /// The functions of that script, without its last line, which calls one.
    private static let enqueueFunctions = Array(
        Lua.enqueue_lua.dropLast().prefix(through: Lua.enqueue_lua.dropLast().lastIndex(of: 0x0A) ?? 0)
    )
    static let state = Script(Lua.common_lua, Lua.state_lua, isRepeatable: true, isAcknowledged: true)
    static let cancel = Script(Lua.past_limit_lua, Lua.common_lua, Lua.answer_lua, Lua.cancel_lua, isAcknowledged: true)

    // For workers. `ARGV[1]` is the worker's name among the group's consumers.
    static let lease = Script(Lua.past_limit_lua, Lua.common_lua, Lua.line_lua, Lua.claim_lua, Lua.lease_lua)
    static let noteHistory = Script(Lua.past_limit_lua, Lua.common_lua, Lua.note_history_lua)
    static let reclaim = Script(Lua.past_limit_lua, Lua.common_lua, Lua.line_lua, Lua.claim_lua, Lua.reclaim_lua)
    static let start = Script(Lua.past_limit_lua, Lua.common_lua, Lua.start_lua, isRepeatable: true)
    static let renew = Script(Lua.common_lua, Lua.renew_lua, isRepeatable: true)
    static let finish = Script(Lua.past_limit_lua, Lua.common_lua, Lua.answer_lua, Lua.finish_lua, isAcknowledged: true)
    static let deadLetter = Script(
        Lua.past_limit_lua,
        Lua.common_lua,
        Lua.answer_lua,
        Lua.dead_letter_lua,
        isAcknowledged: true
    )
    static let giveBack = Script(
        Lua.past_limit_lua,
        Lua.common_lua,
        Lua.line_lua,
        Lua.give_back_lua,
        isRepeatable: true
    )
    static let leave = Script(Lua.common_lua, Lua.leave_lua)

    // For answers to post, which are in a sorted set of entries by due time, and a hash for each entry.
    static let leaseCallbacks = Script(
        Lua.past_limit_lua,
        Lua.common_lua,
        Lua.lease_callbacks_lua,
        isAcknowledged: true
    )
    static let finishCallback = Script(Lua.past_limit_lua, Lua.common_lua, Lua.finish_callback_lua)
    static let postponeCallback = Script(Lua.past_limit_lua, Lua.common_lua, Lua.postpone_callback_lua)

    // For inspection and administration.
    static let status = Script(enqueueFunctions, Lua.common_lua, Lua.status_lua, isRepeatable: true)
    static let jobs = Script(Lua.common_lua, Lua.jobs_lua, isRepeatable: true)
    static let retry = Script(enqueueFunctions, Lua.retry_lua, isAcknowledged: true)
    static let purge = Script(Lua.purge_lua)
    static let forget = Script(Lua.past_limit_lua, Lua.common_lua, Lua.forget_lua, isAcknowledged: true)

    // For the number of workers.
    static let report = Script(Lua.past_limit_lua, Lua.common_lua, Lua.report_lua, isRepeatable: true)
    static let load = Script(Lua.past_limit_lua, Lua.common_lua, Lua.line_lua, Lua.load_lua, isRepeatable: true)
    static let storeScaling = Script(Lua.past_limit_lua, Lua.store_scaling_lua)

    // For what the fleet shares.
    static let keep = Script(Lua.past_limit_lua, Lua.keep_lua, isRepeatable: true, isAcknowledged: true)
    static let record = Script(Lua.past_limit_lua, Lua.record_lua, isRepeatable: true)
    static let takeBack = Script(
        Lua.past_limit_lua,
        Lua.common_lua,
        Lua.take_back_lua,
        isRepeatable: true,
        isAcknowledged: true
    )
    static let know = Script(Lua.past_limit_lua, Lua.common_lua, Lua.know_lua, isRepeatable: true)
    static let knowing = Script(Lua.common_lua, Lua.knowing_lua, isRepeatable: true)
}

// MARK: - Fields

/// The fields of a stream entry or of a hash, by the protocol's short names.
struct EntryFields {
    private var values: [String: [UInt8]] = [:]

    /// Reads a reply of alternating names and values. Returns `nil` for any other reply.
    init?(_ reply: RedisReply) {
        guard let elements = reply.elements, elements.count.isMultiple(of: 2) else { return nil }
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard let name = elements[index].text, let value = elements[index + 1].bytes else { return nil }
            values[name] = value
        }
    }

    func bytes(_ name: String) -> [UInt8] { values[name] ?? [] }

    /// Returns a field's text, or `nil` if the field is missing, empty or not UTF-8.
    func text(_ name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : String(validating: $0, as: UTF8.self) }
    }

    func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// The trace context, which goes on as header fields; `nil` if it cannot be one.
    var trace: TraceContext? { text("tp").flatMap { TraceContext(untrusted: $0, state: text("ts")) } }

    /// The name of the job, by the same rules as over HTTP; `nil` if it has no name.
    var name: JobName? {
        let tenant = bytes("t").isEmpty ? Job.defaultTenant : text("t")
        guard let id = text("j"), id.utf8.count <= Job.nameByteLimit, let tenant, TenantName.isValid(tenant)
        else { return nil }
        return JobName(id: id, tenant: tenant)
    }

    /// Returns the job, or `nil` if a producer that writes to the stream directly wrote an invalid entry.
    func job(priority: Job.Priority) -> Job? {
        guard let name, let milliseconds = integer("b") else { return nil }
        let job = Job(
            id: name.id,
            tenant: name.tenant,
            priority: priority,
            timeLimit: .milliseconds(milliseconds),
            content: bytes("y"),
            answer: Job.Answer(callback: text("cb"), producer: text("p")),
            trace: trace,
        )
        return (try? job.check()) == nil ? nil : job
    }
}

extension Job.Priority {
    /// The name of the priority's stream.
    var stream: String { self == .high ? "hi" : "lo" }

    init?(stream: Substring) {
        guard let priority = Self.allCases.first(where: { $0.stream == stream }) else { return nil }
        self = priority
    }
}

extension Job {
    /// The names and values of the entry's fields.
    var fields: [[UInt8]] {
        var texts = [("v", "1"), ("j", id), ("t", tenant), ("b", "\(max(1, timeLimit.milliseconds))")]
        if let producer = answer.producer { texts.append(("p", producer)) }
        if let callback = answer.callback { texts.append(("cb", callback)) }
        if let trace {
            texts.append(("tp", trace.parent))
            if let state = trace.state { texts.append(("ts", state)) }
        }
        return texts.flatMap { [Array($0.utf8), Array($1.utf8)] } + [[UInt8(ascii: "y")], content]
    }
}
