import HTTPTypes
import Hummingbird
import Payloads
import Processing
import Timing

/// The route `POST /v1/notifications`. It takes an envelope with a payload and options, and answers with the complete
/// result, or a list of them.
struct NotificationsRoute: Sendable {
    let service: NotificationService
    let admission: Admission
    let lists: ListLimits

    func respond(to request: Request, from client: ClientAddress) async throws -> Response {
        let accepted = service.now
        return try await RequestBody.with(request, from: client, lists) { body in
            switch body {
            case .one(let envelope): try await respond(to: NotificationEnvelope(envelope), accepted)
            case .list(let envelopes): try await respond(to: envelopes, accepted, client)
            }
        }
    }

    private func respond(to envelope: NotificationEnvelope, _ accepted: Instant) async throws -> Response {
        let result = try await admission.admit(for: envelope.options.tenant) {
            try await service.process(.value(envelope.payload), options: envelope.options, accepted: accepted)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: result.json)),
        )
    }

    /// Answers a list. Its deadline is the soonest of its envelopes.
    private func respond(
        to envelopes: [JSONValue],
        _ accepted: Instant,
        _ client: ClientAddress,
    ) async throws -> Response {
        var timeLimit = NotificationService.longestTimeLimit
        var items: [Result<ListProcessing.Item, Problem>] = []
        for value in envelopes {
            do throws(RequestError) {
                let envelope = try NotificationEnvelope(value)
                timeLimit = min(timeLimit, try service.check(item: envelope.payload, options: envelope.options))
                items.append(.success(ListProcessing.Item(payload: envelope.payload, options: envelope.options)))
            } catch {
                items.append(.failure(Problem(error)))
            }
        }
        let processing = ListProcessing(service: service, admission: admission, limits: lists, client: client)
        let answers = try await processing.process(items, accepted: accepted, timeLimit: timeLimit)
        return processing.response(answers, accepted: accepted, timeLimit: timeLimit) { $0.json }
    }
}

extension NotificationService {
    /// Returns the time limit of one notification of a list. Throws if it can't be read, or is too large for a request
    /// of its own.
    func check(item payload: JSONValue, options: Options) throws(RequestError) -> Duration {
        let byteCount = payload.compactBytes.count
        guard byteCount <= PayloadReader.byteLimit else {
            throw .payload(.tooLarge(byteCount: byteCount, limit: PayloadReader.byteLimit))
        }
        return try check(.value(payload), options: options)
    }
}
