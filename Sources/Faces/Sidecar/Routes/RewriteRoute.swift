import HTTPTypes
import Hummingbird
import Media
import Payloads
import Processing
import Timing

/// The route `POST /v1/rewrite`. It takes a raw payload and answers with the raw rewritten payload. Options and the
/// outcome are in header fields.
struct RewriteRoute: Sendable {
    let service: NotificationService
    let admission: Admission

    func respond(to request: Request) async throws -> Response {
        let accepted = service.now
        let options = try options(in: request.headers)
        let payload = try await request.payload()
        let result = try await admission.admit {
            do throws(RequestError) {
                return try await service.process(.bytes(payload), options: options, accepted: accepted)
            } catch .payload(.noNotification) where Self.isEnvelope(payload) {
                throw RequestError.envelope(
                    "This is an envelope. Send it to /v1/notifications, or send its \"payload\" alone."
                )
            }
        }
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.attachdOutcome] = result.outcome.rawValue
        headers[.attachdMargin] = String(result.margin.milliseconds)
        headers[.serverTiming] = result.timings.map { "\($0.stage);dur=\($0.milliseconds)" }.joined(separator: ", ")
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: result.payload)))
    }

    private static func isEnvelope(_ body: [UInt8]) -> Bool {
        (try? JSONValue(parsing: body))?["payload"]?.isObject == true
    }

    private func options(in headers: HTTPFields) throws -> NotificationService.Options {
        var options = NotificationService.Options()
        options.profile = headers[.attachdProfile]
        options.dialect = headers[.attachdDialect]
        if let text = headers[.attachdPushType] {
            guard let pushType = PushType(rawValue: text) else {
                throw Problem(.badRequest, "Attachd-Push-Type must be one of: \(PushType.names).")
            }
            options.pushType = pushType
        }
        if let text = headers[.attachdDeadline] {
            guard let limit = DurationText.parse(text) else {
                throw Problem(.badRequest, "Attachd-Deadline is not a duration. Write it as 800ms or 20s.")
            }
            options.timeLimit = limit
        }
        return options
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
    static let attachdPushType = named("Attachd-Push-Type")
    static let attachdOutcome = named("Attachd-Outcome")
    static let attachdMargin = named("Attachd-Margin")
    static let serverTiming = named("Server-Timing")
}
