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
        guard value.isObject, let payload = value["payload"] else {
            throw .envelope("Send an envelope: {\"payload\": {\"aps\": …}}; or use /v1/rewrite.")
        }
        guard isJob || value["callback"] == nil else {
            throw .envelope("Only a job has a \"callback\". Send the envelope to /v1/jobs, or leave the callback out.")
        }
        let keys = isJob ? Self.keys.union(Self.jobKeys) : Self.keys
        let members = try RequestMembers(of: value, keys: keys, in: "The envelope")
        self.payload = payload
        self.options = NotificationService.Options(
            identifier: try members.text("id", like: "\"order-42\""),
            tenant: try members.member("tenant", "is not a tenant's name. Write \(TenantName.rule).") { tenant in
                tenant.text.flatMap { TenantName.isValid($0) ? $0 : nil }
            },
            profile: try members.text("profile", like: "\"apns\""),
            dialect: try members.text("dialect", like: "\"my-attachment\""),
            pushType: try members.member("pushType", "is not valid. Choose one of: \(PushType.names).") { pushType in
                pushType.text.flatMap { PushType(rawValue: $0) }
            } ?? .alert,
            timeLimit: try members.duration("deadline"),
            clip: try Self.clip(in: members),
            focus: try Self.focus(in: members),
        )
        callback = try members.text("callback", upTo: Self.callbackByteLimit, like: "\"https://push.example/results\"")
    }

    private static func clip(in envelope: RequestMembers) throws(RequestError) -> ClipSelection {
        let rule = "must be {\"start\": \"3s\", \"duration\": \"10s\"}."
        guard let clip = try envelope.object("clip", keys: clipKeys, rule) else { return ClipSelection() }
        let selection = ClipSelection(
            start: try clip.duration("start") ?? .zero,
            duration: try clip.duration("duration"),
        )
        guard max(selection.start, selection.duration ?? .zero) <= longestClip else {
            throw .envelope("\"clip\" has a start and a duration of at most 24h each.")
        }
        return selection
    }

    private static func focus(in envelope: RequestMembers) throws(RequestError) -> FocalPoint? {
        let rule = "must be {\"x\": 0.5, \"y\": 0.2}: fractions of the picture, from 0 to 1."
        guard try envelope.object("focus", keys: focusKeys, rule) != nil else { return nil }
        return try envelope.member("focus", rule) { focus in
            guard let x = focus["x"]?.double, let y = focus["y"]?.double else { return nil }
            return FocalPoint(x: x, y: y)
        }
    }
}

// MARK: - Members

/// The members of an object in a request. One that is missing or `null` is `nil`, and errors name the member.
struct RequestMembers {
    private let json: JSONValue

    /// Throws if the object, which `location` names, has a member that is not one of `keys`.
    init(of object: JSONValue, keys: Set<String>, in location: String) throws(RequestError) {
        json = object
        guard case .object(let members) = object, let unknown = members.first(where: { !keys.contains($0.key) })
        else { return }
        let known = keys.sorted().joined(separator: ", ")
        throw .envelope("\(location) has no \"\(unknown.key)\". It has: \(known).")
    }

    /// Returns a member as `read` understands it. Throws if `read` does not. `rule` says what the member must be.
    func member<Value>(
        _ key: String,
        _ rule: String,
        _ read: (JSONValue) -> Value?,
    ) throws(RequestError) -> Value? {
        guard let member = json[key], member != .null else { return nil }
        guard let value = read(member) else { throw .envelope("\"\(key)\" \(rule)") }
        return value
    }

    func object(_ key: String, keys: Set<String>, _ rule: String) throws(RequestError) -> RequestMembers? {
        // `nil` as a JSON value would be a null.
        guard let value = try member(key, rule, { $0.isObject ? .some($0) : Optional.none }) else { return nil }
        return try RequestMembers(of: value, keys: keys, in: "\"\(key)\"")
    }

    func duration(_ key: String) throws(RequestError) -> Duration? {
        try member(key, "is not a duration. Write it as \"800ms\" or \"20s\".") { value in
            value.text.flatMap { DurationText.parse($0) }
        }
    }

    func text(_ key: String, upTo limit: Int = 128, like example: String) throws(RequestError) -> String? {
        try member(key, "must be a string of 1 to \(limit) bytes, such as \(example).") { value in
            value.text.flatMap { (1...limit).contains($0.utf8.count) ? $0 : nil }
        }
    }
}
