import HTTPTypes
import Hummingbird
import Media
import Payloads
import Processing
import Timing
import Values

/// The route `POST /v1/rewrite`. It takes a raw payload and answers with the raw rewritten payload, or a list of them.
/// Options and the outcome are in header fields.
struct RewriteRoute: Sendable {
    let service: NotificationService
    let admission: Admission
    let lists: ListLimits

    func respond(to request: Request, from client: ClientAddress) async throws -> Response {
        let accepted = service.now
        let options = try options(in: request.headers)
        let lanes = ListLanes(admission: admission, limits: lists, client: client)
        return try await RequestBody.with(request, lanes) { body in
            switch body {
            case .one(let payload): try await respond(to: payload, options, accepted)
            case .list(let bytes):
                try await lanes.admit {
                    try read(RequestBody.items(of: bytes), options)
                } answer: { list in
                    await respond(to: list, accepted, lanes)
                }
            }
        }
    }

    private func respond(
        to payload: [UInt8],
        _ options: NotificationService.Options,
        _ accepted: Instant,
    ) async throws -> Response {
        let result = try await admission.admit(for: options.tenant) {
            try await lists.longWork.perform(payload.count) {
                do throws(RequestError) {
                    return try await service.process(.bytes(payload), options: options, accepted: accepted)
                } catch .payload(.noNotification) where Self.isEnvelope(try? JSONValue(parsing: payload)) {
                    throw Self.envelopeError
                }
            }
        }
        var headers: HTTPFields = [.contentType: "application/json"]
        let visible = VisibleOutcome(of: result, isUnchanged: result.payload == payload)
        headers[.attachdOutcome] = visible.outcome.rawValue
        headers[.attachdReason] = visible.reason
        headers[.attachdMargin] = String(result.margin.milliseconds)
        headers[.attachdRemarks] = String(result.remarks.count)
        headers[.serverTiming] = result.timings.map { "\($0.stage);dur=\($0.milliseconds)" }.joined(separator: ", ")
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: result.payload)))
    }

    private func read(_ payloads: [JSONValue], _ options: NotificationService.Options) throws -> ListProcessing.List {
        var timeLimit = NotificationService.longestTimeLimit
        var items: [Result<ListProcessing.Item, Problem>] = []
        for payload in payloads {
            do throws(RequestError) {
                timeLimit = min(timeLimit, try service.check(item: payload, options: options))
                items.append(.success(ListProcessing.Item(payload: payload, options: options)))
            } catch {
                items.append(.failure(try Self.problem(with: payload, error)))
            }
        }
        return ListProcessing.List(items: items, timeLimit: timeLimit)
    }

    private func respond(to list: ListProcessing.List, _ accepted: Instant, _ lanes: ListLanes) async -> Response {
        let processing = ListProcessing(service: service, lanes: lanes)
        let answers = await processing.process(list.items, accepted: accepted, timeLimit: list.timeLimit)
        var response = processing.response(answers, accepted: accepted, timeLimit: list.timeLimit) { $0.payload }
        let outcomes = zip(list.items, answers).map { item, answer in
            switch answer {
            case .success(let result):
                VisibleOutcome(of: result, isUnchanged: (try? item.get())?.payload == result.payloadValue)
            case .failure(let problem): VisibleOutcome(of: problem)
            }
        }
        if let worst = VisibleOutcome.worst(of: outcomes) {
            response.headers[.attachdOutcome] = worst.outcome.rawValue
            response.headers[.attachdReason] = worst.reason
        }
        let remarks = answers.compactMap { try? $0.get().remarks.count }
        response.headers[.attachdRemarks] = String(remarks.reduce(0, +))
        return response
    }

    /// Returns the problem of one payload. Throws one of the options, which are those of all payloads.
    private static func problem(with payload: JSONValue, _ error: RequestError) throws(RequestError) -> Problem {
        switch error {
        case .option, .payload(.unknownDialect): throw error
        case .payload(.noNotification) where isEnvelope(payload): Problem(envelopeError)
        default: Problem(error)
        }
    }

    /// Returns whether the body would be taken as an envelope, and not only has the key of one.
    private static func isEnvelope(_ body: JSONValue?) -> Bool {
        guard let body, let envelope = try? NotificationEnvelope(body, isJob: true) else { return false }
        return envelope.payload["aps"]?.isObject == true
            || (try? PayloadReader().read(envelope.payload, identifier: "envelope")) != nil
    }

    private static let envelopeError = RequestError.envelope(
        "This is an envelope. Send it to /v1/notifications, or send its \"payload\" alone."
    )

    private func options(in headers: HTTPFields) throws -> NotificationService.Options {
        var options = NotificationService.Options()
        options.profile = headers[.attachdProfile]
        options.dialect = headers[.attachdDialect]
        if let name = headers[.attachdTenant] {
            guard TenantName.isValid(name) else {
                throw Problem(.badRequest, "Attachd-Tenant is not a tenant's name. Write \(TenantName.rule).")
            }
            options.tenant = name
        }
        if let text = headers[.attachdPushType] {
            guard let pushType = PushType(rawValue: text) else {
                throw Problem(.badRequest, "Attachd-Push-Type must be one of: \(PushType.names).")
            }
            options.pushType = pushType
        }
        options.timeLimit = try Self.timeLimit(in: headers)
        return options
    }

    /// Returns the time limit that the header names, if it does.
    static func timeLimit(in headers: HTTPFields) throws -> Duration? {
        guard let text = headers[.attachdDeadline] else { return nil }
        guard let limit = DurationText.parse(text) else {
            throw Problem(.badRequest, "Attachd-Deadline is not a duration. Write it as 800ms or 20s.")
        }
        return limit
    }
}

extension HTTPField.Name {
    static func named(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }

    static let attachdDeadline = named("Attachd-Deadline")
    static let attachdProfile = named("Attachd-Profile")
    static let attachdDialect = named("Attachd-Dialect")
    static let attachdTenant = named("Attachd-Tenant")
    static let attachdPushType = named("Attachd-Push-Type")
    static let attachdOutcome = named("Attachd-Outcome")
    static let attachdMargin = named("Attachd-Margin")
    static let attachdRemarks = named("Attachd-Remarks")
    static let serverTiming = named("Server-Timing")
}
