import HTTPTypes
import Hummingbird
import Media
import Payloads
import Processing

/// `POST /v1/notifications`: an envelope with the payload and its options in, a whole result out.
struct NotificationsRoute: Sendable {
    let service: NotificationService
    let admission: Admission

    func respond(to request: Request) async throws -> Response {
        let accepted = service.now
        let result = try await admission.admit {
            let envelope = try Envelope(await request.payload())
            return try await service.result(of: .value(envelope.payload), envelope.options, accepted)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: result.json)),
        )
    }
}

/// `{"id"?, "payload", "profile"?, "dialect"?, "pushType"?: "voip", "deadline"?: "5s",`
/// `"clip"?: {"start"?: "3s", "duration"?: "10s"}}`.
struct Envelope {
    let payload: JSONValue
    let options: NotificationService.Options
    private static let keys: Set = ["id", "payload", "profile", "dialect", "pushType", "deadline", "clip"]
    private static let clipKeys: Set = ["start", "duration"]

    init(_ bytes: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Problem(.badRequest, "\(error)")
        }
        guard case .object(let members) = value, let payload = value["payload"] else {
            throw Problem(.unprocessableContent, "Send an envelope: {\"payload\": {\"aps\": …}}; or use /v1/rewrite.")
        }
        try Self.check(members, have: Self.keys, in: "The envelope")
        self.payload = payload
        self.options = NotificationService.Options(
            identifier: try Self.text("id", in: value),
            profile: try Self.text("profile", in: value),
            dialect: try Self.text("dialect", in: value),
            pushType: try Self.pushType(in: value),
            timeLimit: try Self.duration("deadline", in: value),
            clip: try Self.clip(in: value),
        )
    }

    private static func pushType(in envelope: JSONValue) throws -> PushType {
        guard let text = try text("pushType", in: envelope) else { return .alert }
        guard let pushType = PushType(rawValue: text) else {
            throw Problem(.unprocessableContent, "\"pushType\" is none of: \(PushType.names).")
        }
        return pushType
    }

    private static func clip(in envelope: JSONValue) throws -> ClipSelection {
        switch envelope["clip"] {
        case nil, .null: return ClipSelection()
        case .object(let members)?:
            try check(members, have: clipKeys, in: "\"clip\"")
            let clip = JSONValue.object(members)
            return ClipSelection(
                start: try duration("start", in: clip) ?? .zero,
                duration: try duration("duration", in: clip),
            )
        default: throw Problem(.unprocessableContent, "\"clip\" must be {\"start\": \"3s\", \"duration\": \"10s\"}.")
        }
    }

    private static func check(_ members: [JSONValue.Member], have keys: Set<String>, in place: String) throws {
        guard let unknown = members.first(where: { !keys.contains($0.key) }) else { return }
        let known = keys.sorted().joined(separator: ", ")
        throw Problem(.unprocessableContent, "\(place) has no \"\(unknown.key)\". It has: \(known).")
    }

    private static func duration(_ key: String, in value: JSONValue) throws -> Duration? {
        try text(key, in: value).map { text in
            guard let duration = DurationText.parse(text) else {
                throw Problem(.unprocessableContent, "\"\(key)\" is no duration: write it as \"800ms\" or \"20s\".")
            }
            return duration
        }
    }

    private static func text(_ key: String, in envelope: JSONValue) throws -> String? {
        switch envelope[key] {
        case nil, .null: return nil
        case .string(let text) where !text.isEmpty && text.utf8.count <= 128: return text
        default: throw Problem(.unprocessableContent, "\"\(key)\" must be a text of 1 to 128 bytes.")
        }
    }
}
