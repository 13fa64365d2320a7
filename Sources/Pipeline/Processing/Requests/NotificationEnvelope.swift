import Base
import Media
package import Payloads

/// A payload and the sender's options, as one JSON object: the body of `POST /v1/notifications` and of a job.
///
/// `{"id"?, "tenant"?, "payload", "profile"?, "dialect"?, "pushType"?: "voip", "deadline"?: "5s",`
/// `"clip"?: {"start"?: "3s", "duration"?: "10s"}, "focus"?: {"x": 0.5, "y": 0.2}}`, and for a job `"callback"?`, a URL.
package struct NotificationEnvelope: Sendable {
    package let payload: JSONValue
    package let options: NotificationService.Options
    package let callback: String?

    private static let keys: Set = [
        "id", "tenant", "payload", "profile", "dialect", "pushType", "deadline", "clip", "focus",
    ]
    private static let jobKeys: Set = ["callback"]
    private static let clipKeys: Set = ["start", "duration"]
    private static let focusKeys: Set = ["x", "y"]
    private static let callbackByteLimit = 2048
    /// The longest start and duration of a clip. Sources are shorter, and arithmetic on far larger values overflows.
    private static let longestClip = Duration.seconds(86_400)

    /// Parses an envelope. `isJob` allows the members that make sense only if the answer comes later.
    package init(_ bytes: [UInt8], isJob: Bool = false) throws(RequestError) {
        guard bytes.count <= PayloadReader.byteLimit else {
            throw .payload(.tooLarge(byteCount: bytes.count, limit: PayloadReader.byteLimit))
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .payload(.notJSON(error))
        }
        try self.init(value, isJob: isJob)
    }

    /// Reads an envelope that is part of something else, such as a list.
    package init(_ value: JSONValue, isJob: Bool = false) throws(RequestError) {
        guard case .object(let members) = value, let payload = value["payload"] else {
            throw .envelope("Send an envelope: {\"payload\": {\"aps\": …}}; or use /v1/rewrite.")
        }
        guard isJob || value["callback"] == nil else {
            throw .envelope("Only a job has a \"callback\". Send the envelope to /v1/jobs, or leave the callback out.")
        }
        try Self.check(members, have: isJob ? Self.keys.union(Self.jobKeys) : Self.keys, in: "The envelope")
        self.payload = payload
        self.options = NotificationService.Options(
            identifier: try Self.text("id", in: value, like: "\"order-42\""),
            tenant: try Self.tenant(in: value),
            profile: try Self.text("profile", in: value, like: "\"apns\""),
            dialect: try Self.text("dialect", in: value, like: "\"my-attachment\""),
            pushType: try Self.pushType(in: value),
            timeLimit: try Self.duration("deadline", in: value),
            clip: try Self.clip(in: value),
            focus: try Self.focus(in: value),
        )
        callback = try Self.text(
            "callback",
            in: value,
            upTo: Self.callbackByteLimit,
            like: "\"https://push.example/results\""
        )
    }

    private static func tenant(in envelope: JSONValue) throws(RequestError) -> String? {
        switch envelope["tenant"] {
        case nil, .null: return nil
        case .string(let name) where TenantName.isValid(name): return name
        default: throw .envelope("\"tenant\" is not a tenant's name. Write \(TenantName.rule).")
        }
    }

    private static func pushType(in envelope: JSONValue) throws(RequestError) -> PushType {
        switch envelope["pushType"] {
        case nil, .null: return .alert
        case .string(let text)?:
            if let pushType = PushType(rawValue: text) { return pushType }
            fallthrough
        default: throw .envelope("\"pushType\" is not valid. Choose one of: \(PushType.names).")
        }
    }

    private static func clip(in envelope: JSONValue) throws(RequestError) -> ClipSelection {
        switch envelope["clip"] {
        case nil, .null: return ClipSelection()
        case .object(let members)?:
            try check(members, have: clipKeys, in: "\"clip\"")
            let clip = JSONValue.object(members)
            let selection = ClipSelection(
                start: try duration("start", in: clip) ?? .zero,
                duration: try duration("duration", in: clip),
            )
            guard max(selection.start, selection.duration ?? .zero) <= longestClip else {
                throw .envelope("\"clip\" has a start and a duration of at most 24h each.")
            }
            return selection
        default: throw .envelope("\"clip\" must be {\"start\": \"3s\", \"duration\": \"10s\"}.")
        }
    }

    private static func focus(in envelope: JSONValue) throws(RequestError) -> FocalPoint? {
        switch envelope["focus"] {
        case nil, .null: return nil
        case .object(let members)?:
            try check(members, have: focusKeys, in: "\"focus\"")
            let value = JSONValue.object(members)
            if let x = value["x"]?.double, let y = value["y"]?.double, let point = FocalPoint(x: x, y: y) {
                return point
            }
            fallthrough
        default: throw .envelope("\"focus\" must be {\"x\": 0.5, \"y\": 0.2}: fractions of the picture, from 0 to 1.")
        }
    }

    private static func check(
        _ members: [JSONValue.Member],
        have keys: Set<String>,
        in location: String,
    ) throws(RequestError) {
        guard let unknown = members.first(where: { !keys.contains($0.key) }) else { return }
        let known = keys.sorted().joined(separator: ", ")
        throw .envelope("\(location) has no \"\(unknown.key)\". It has: \(known).")
    }

    private static func duration(_ key: String, in value: JSONValue) throws(RequestError) -> Duration? {
        switch value[key] {
        case nil, .null: return nil
        case .string(let text)?:
            if let duration = DurationText.parse(text) { return duration }
            fallthrough
        default: throw .envelope("\"\(key)\" is not a duration. Write it as \"800ms\" or \"20s\".")
        }
    }

    private static func text(
        _ key: String,
        in envelope: JSONValue,
        upTo limit: Int = 128,
        like example: String,
    ) throws(RequestError) -> String? {
        switch envelope[key] {
        case nil, .null: return nil
        case .string(let text) where !text.isEmpty && text.utf8.count <= limit: return text
        default: throw .envelope("\"\(key)\" must be a string of 1 to \(limit) bytes, such as \(example).")
        }
    }
}
