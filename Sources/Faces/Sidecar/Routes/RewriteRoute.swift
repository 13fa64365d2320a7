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
        return try await RequestBody.with(request, from: client, lists) { body in
            switch body {
            case .one(let payload): try await respond(to: payload, options, accepted)
            case .list(let payloads): try await respond(to: payloads, options, accepted, client)
            }
        }
    }

    private func respond(
        to payload: [UInt8],
        _ options: NotificationService.Options,
        _ accepted: Instant,
    ) async throws -> Response {
        let result = try await admission.admit(for: options.tenant) {
            do throws(RequestError) {
                return try await service.process(.bytes(payload), options: options, accepted: accepted)
            } catch .payload(.noNotification) where Self.isEnvelope(try? JSONValue(parsing: payload)) {
                throw Self.envelopeError
            }
        }
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.attachdOutcome] = result.outcome.rawValue
        headers[.attachdMargin] = String(result.margin.milliseconds)
        headers[.attachdRemarks] = String(result.remarks.count)
        headers[.serverTiming] = result.timings.map { "\($0.stage);dur=\($0.milliseconds)" }.joined(separator: ", ")
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: result.payload)))
    }

    private func respond(
        to payloads: [JSONValue],
        _ options: NotificationService.Options,
        _ accepted: Instant,
        _ client: ClientAddress,
    ) async throws -> Response {
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
        let processing = ListProcessing(service: service, admission: admission, limits: lists, client: client)
        let answers = try await processing.process(items, accepted: accepted, timeLimit: timeLimit)
        var response = processing.response(answers, accepted: accepted, timeLimit: timeLimit) { $0.payload }
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

    private static func isEnvelope(_ body: JSONValue?) -> Bool { body?["payload"]?.isObject == true }

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
