import HTTPTypes
import Hummingbird
import Payloads
import Processing

/// The route `POST /v1/notifications`. It takes an envelope with a payload and options, and answers with the complete
/// result.
struct NotificationsRoute: Sendable {
    let service: NotificationService
    let admission: Admission

    func respond(to request: Request) async throws -> Response {
        let accepted = service.now
        let envelope = try NotificationEnvelope(await request.payload())
        let result = try await admission.admit {
            try await service.process(.value(envelope.payload), options: envelope.options, accepted: accepted)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: result.json)),
        )
    }
}
