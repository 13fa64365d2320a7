import Base
import HTTPTypes
import Hummingbird
import Payloads
import Processing

/// The route `POST /v1/notifications`. It takes an envelope with a payload and options, and answers with the complete
/// result, or a list of them.
struct NotificationsRoute: Sendable {
    let service: NotificationService
    let admission: Admission
    let lists: ListLimits

    func respond(to request: Request, from client: ClientAddress) async throws -> Response {
        let accepted = service.now
        let lanes = ListLanes(admission: admission, limits: lists, client: client)
        return try await RequestBody.with(request, lanes) { body in
            switch body {
            case .one(let bytes):
                let envelope = try await lists.longWork.read(bytes.count, from: client) {
                    try NotificationEnvelope(bytes)
                }
                return try await respond(to: envelope, of: bytes.count, accepted)
            case .list(let bytes):
                return try await lanes.admit {
                    try read(RequestBody.items(of: bytes))
                } answer: { list in
                    try admission.checkOpen(until: accepted + list.timeLimit)
                    return await respond(to: list, accepted, lanes)
                }
            }
        }
    }

    private func respond(
        to envelope: NotificationEnvelope,
        of byteCount: Int,
        _ accepted: Instant,
    ) async throws -> Response {
        let deadline = accepted + service.timeLimit(of: envelope.options)
        let result = try await admission.admit(for: envelope.options.tenant, until: deadline) {
            try await lists.longWork.perform(byteCount) {
                try await service.process(.value(envelope.payload), options: envelope.options, accepted: accepted)
            }
        }
        let response = Response.json(result.json)
        service.left([result])
        return response
    }

    private func read(_ envelopes: [JSONValue]) -> ListProcessing.List {
        ListProcessing.List(
            items: envelopes.map { value in
                do throws(RequestError) {
                    let envelope = try NotificationEnvelope(value)
                    return .success(try service.read(item: envelope.payload, options: envelope.options))
                } catch {
                    return .failure(Problem(error))
                }
            }
        )
    }

    private func respond(to list: ListProcessing.List, _ accepted: Instant, _ lanes: ListLanes) async -> Response {
        let processing = ListProcessing(service: service, lanes: lanes)
        let answers = await processing.process(list.items, accepted: accepted, timeLimit: list.timeLimit)
        return processing.response(answers, accepted: accepted, timeLimit: list.timeLimit) { $0.json }
    }
}

extension NotificationService {
    /// Reads one notification of a list. Throws if it can't be read, or is too large for a request of its own.
    func read(item payload: JSONValue, options: Options) throws(RequestError) -> ProcessingRequest {
        let byteCount = payload.compactBytes.count
        guard byteCount <= PayloadReader.byteLimit else {
            throw .payload(.tooLarge(byteCount: byteCount, limit: PayloadReader.byteLimit))
        }
        return try read(.value(payload), options: options)
    }
}
