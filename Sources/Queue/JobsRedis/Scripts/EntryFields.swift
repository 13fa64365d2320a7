import Jobs
import Media
import Timing
import Values

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

    /// The name of the job, by the same rules as over HTTP; `nil` if it has none.
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
