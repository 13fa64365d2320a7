import Payloads

/// Where a push payload stands in what was pasted, and the fields from which a push service makes its alert.
struct ContentPlace: Sendable {
    /// What is there in no other form.
    var mark: JSONPointer
    var aps: JSONPointer?
    var userInfo: JSONPointer?
    var fields: JSONPointer?

    func fits(_ payload: JSONValue) -> Bool { payload.value(at: mark) != nil }

    /// The push payload itself, as APNs gets it.
    static let payload = ContentPlace(
        mark: JSONPointer(tokens: ["aps"]),
        aps: JSONPointer(tokens: ["aps"]),
        userInfo: JSONPointer(),
    )

    /// The first that fits counts.
    static let all = [
        payload,
        // Firebase's HTTP v1 message.
        ContentPlace(
            mark: JSONPointer(tokens: ["message"]),
            aps: JSONPointer(tokens: ["message", "apns", "payload", "aps"]),
            userInfo: JSONPointer(tokens: ["message", "apns", "payload"]),
            fields: JSONPointer(tokens: ["message", "notification"]),
        ),
        // gorush: the first notification of its request.
        ContentPlace(
            mark: JSONPointer(tokens: ["notifications", "0"]),
            userInfo: JSONPointer(tokens: ["notifications", "0", "data"]),
            fields: JSONPointer(tokens: ["notifications", "0"]),
        ),
        // Expo's request for one notification, and content that was never a push.
        ContentPlace(
            mark: JSONPointer(tokens: ["title"]),
            userInfo: JSONPointer(tokens: ["data"]),
            fields: JSONPointer()
        ),
        ContentPlace(
            mark: JSONPointer(tokens: ["body"]),
            userInfo: JSONPointer(tokens: ["data"]),
            fields: JSONPointer()
        ),
    ]
}
