import Base
import HTTPTypes
import Hummingbird
import Jobs
import Media
import Payloads
import Processing

/// The routes `/v1/jobs`, for notifications that are answered later.
struct JobsRoutes: Sendable {
    let service: NotificationService
    let queue: any JobQueue
    let admission: Admission
    let longWork: LongWork
    /// Returns the reason why a callback's URL is not allowed, or `nil` if it is allowed.
    let callbackRefusal: @Sendable (String) -> String?
    /// The limit of requests that wait for results.
    let waiting: Admission
    let recorder: any EventRecorder<SidecarEvent>

    /// The maximum waiting time of one request.
    private static let longestWait: Duration = .seconds(60)

    /// Handles `POST /v1/jobs`. Answers 202 when the job is stored and survives a crash. A known `id` is the same job.
    func enqueue(_ request: Request, from client: ClientAddress) async throws -> Response {
        // A queue of one machine has no other worker.
        guard queue.fleet != nil || !admission.isDraining else { throw Admission.draining }
        try admission.checkOpen()
        let content = try await request.payload()
        let job = try await longWork.read(content.count, from: client) { [trace = request.trace] in
            try read(content, trace)
        }
        let enqueued = try await queue.enqueue(job)
        if let reason = enqueued.refusal(for: job.tenant) {
            throw refusal(reason, enqueued == .overShare ? "tenantShareUsed" : "queueFull")
        }
        var response = Response.json(JSONValue.object([.init("id", .string(job.id))]).compactBytes, .accepted)
        let tenant = job.tenant == Job.defaultTenant ? "" : "?tenant=\(job.tenant.percentEncoded)"
        response.headers[.location] = "/v1/jobs/\(job.id.percentEncoded)\(tenant)"
        return response
    }

    private func read(_ content: [UInt8], _ trace: TraceContext?) throws -> Job {
        let envelope = try NotificationEnvelope(content, isJob: true)
        if let refusal = envelope.callback.flatMap(callbackRefusal) {
            let advice = "Send an http or https URL of a host that attachd may reach, or leave the callback out."
            throw Problem(.unprocessableContent, "The callback cannot be used: \(refusal). \(advice)")
        }
        var options = envelope.options
        let id = options.identifier ?? RandomIdentifier.make()
        options.identifier = id
        return Job(
            id: id,
            tenant: options.tenant ?? Job.defaultTenant,
            timeLimit: try service.read(.value(envelope.payload), options: options).timeLimit,
            content: content,
            answer: .init(callback: envelope.callback),
            trace: trace,
        )
    }

    private func refusal(_ reason: String, _ code: String) -> Problem {
        recorder.record(.jobRefused)
        return Problem(
            .tooManyRequests,
            "\(reason) Send the notification unchanged, or try again.",
            code: code,
            retryAfter: 1,
        )
    }

    /// Handles `GET /v1/jobs/{id}?wait=10s`, for a tenant's job with `tenant=NAME`. Answers with the job's state, or with its result when it is finished.
    func state(_ request: Request, id: String) async throws -> Response {
        var waitTime = Duration.zero
        if let text = request.uri.queryParameters["wait"] {
            guard let duration = DurationText.parse(String(text)), duration <= Self.longestWait else {
                throw Problem(.badRequest, "\"wait\" is not a duration up to 60s. Write it as 800ms or 10s.")
            }
            waitTime = duration
        }
        let name = try Self.name(id, request)
        let waits = waitTime > .zero
        guard !waits || waiting.enter() else {
            let detail = "As many requests wait for results as --requests allows. Ask without \"wait\", or try again."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        defer { if waits { waiting.leave() } }
        switch try await queue.state(of: name, waiting: waitTime) {
        case .unknown: throw Self.unknown(id)
        case .waiting: return Self.job(id, "waiting")
        case .running: return Self.job(id, "running")
        case .finished(let reply):
            guard reply.status != .cancelled else { throw Problem(.conflict, "The job \(id) was cancelled.") }
            let result = (try? JSONValue(parsing: reply.body)) ?? .string(String(decoding: reply.body, as: UTF8.self))
            let answer = [JSONValue.Member("status", .string(reply.status.rawValue)), .init("result", result)]
            return Self.job(id, "finished", answer)
        }
    }

    /// Handles `DELETE /v1/jobs/{id}`. Cancels a job that has not begun.
    func cancel(_ request: Request, id: String) async throws -> Response {
        switch try await queue.cancel(try Self.name(id, request)) {
        case .cancelled: return Response(status: .noContent)
        case .running: throw Problem(.conflict, "The job \(id) is in progress. Ask for its result.")
        case .finished: throw Problem(.conflict, "The job \(id) is already finished.")
        case .unknown: throw Self.unknown(id)
        }
    }

    /// Returns the name of the job that a request is about. Ids count within their tenant.
    private static func name(_ id: String, _ request: Request) throws -> JobName {
        guard let tenant = request.uri.queryParameters["tenant"].map(String.init) else { return JobName(id: id) }
        guard TenantName.isValid(tenant) else {
            throw Problem(.badRequest, "\"tenant\" is not a tenant's name. Write \(TenantName.rule).")
        }
        return JobName(id: id, tenant: tenant)
    }

    private static func job(_ id: String, _ state: String, _ more: [JSONValue.Member] = []) -> Response {
        .json(JSONValue.object([.init("id", .string(id)), .init("state", .string(state))] + more).compactBytes)
    }

    private static func unknown(_ id: String) -> Problem {
        Problem(.notFound, "There is no job \(id), or its result is no longer kept.")
    }
}

extension String {
    /// The text as a part of a URL: all bytes but letters and digits are percent-encoded.
    package var percentEncoded: String {
        utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber)
            return isPlain ? String(character) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
        }
        .joined()
    }
}
