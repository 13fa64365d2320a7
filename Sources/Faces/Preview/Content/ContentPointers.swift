import Payloads

/// The position of a push payload in a pasted message, and the fields from which a push service makes the alert.
struct ContentPointers: Sendable {
    /// A field that only this form of message has.
    var mark: JSONPointer
    var aps: JSONPointer?
    var userInfo: JSONPointer?
    var fields: JSONPointer?

    func fits(_ payload: JSONValue) -> Bool { payload.value(at: mark) != nil }

    /// The push payload itself, as APNs receives it.
    static let payload = ContentPointers(
        mark: JSONPointer(tokens: ["aps"]),
        aps: JSONPointer(tokens: ["aps"]),
        userInfo: JSONPointer(),
    )

    /// All forms. The first one that matches counts.
    static let all = [
        payload,
        // Firebase's HTTP v1 message.
        ContentPointers(
            mark: JSONPointer(tokens: ["message"]),
            aps: JSONPointer(tokens: ["message", "apns", "payload", "aps"]),
            userInfo: JSONPointer(tokens: ["message", "apns", "payload"]),
            fields: JSONPointer(tokens: ["message", "notification"]),
        ),
        // Firebase's message without the object around it, as for an Admin SDK, and the form before HTTP v1.
        ContentPointers(
            mark: JSONPointer(tokens: ["notification"]),
            aps: JSONPointer(tokens: ["apns", "payload", "aps"]),
            userInfo: JSONPointer(tokens: ["apns", "payload"]),
            fields: JSONPointer(tokens: ["notification"]),
        ),
        // gorush: the first notification of its request.
        ContentPointers(
            mark: JSONPointer(tokens: ["notifications", "0"]),
            userInfo: JSONPointer(tokens: ["notifications", "0", "data"]),
            fields: JSONPointer(tokens: ["notifications", "0"]),
        ),
        // Expo's request for one notification, and content that is not a push.
        ContentPointers(
            mark: JSONPointer(tokens: ["title"]),
            userInfo: JSONPointer(tokens: ["data"]),
            fields: JSONPointer()
        ),
        ContentPointers(
            mark: JSONPointer(tokens: ["body"]),
            userInfo: JSONPointer(tokens: ["data"]),
            fields: JSONPointer()
        ),
    ]
}
