/// The reason why a request does not contain the payload of a notification.
package enum PayloadError: Error, Sendable, Equatable, CustomStringConvertible {
    case notJSON(JSONError)
    case tooLarge(byteCount: Int, limit: Int)
    case notAnObject
    /// The payload has neither an `aps` object nor the form of a request that one of these dialects describes. It may
    /// have media nevertheless.
    case noNotification(lookedFor: [String], media: MediaPlaces)
    case unknownDialect(String, known: [String])

    private static let example = #"{"aps": {"alert": "…", "mutable-content": 1}, "my-attachment": "https://…"}"#

    package var description: String {
        switch self {
        case .notJSON(let error): "The payload is not JSON: \(error)"
        case .tooLarge(let byteCount, let limit):
            "The payload has \(byteCount) bytes; at most \(limit) are allowed. Send large content by URL."
        case .notAnObject: "The payload is JSON but not an object. Send an object such as \(Self.example)."
        case .noNotification(let requests, let media):
            "The payload has no `aps` object, and it does not fit a request that attachd knows: "
                + "\(requests.joined(separator: ", ")). Send it as the push service gets it, such as \(Self.example). "
                + "`attachd dialects --detect FILE` tells what each dialect misses; `attachd dialects` lists them."
                + (media.isEmpty ? "" : " \(media.sentence)")
        case .unknownDialect(let name, let known):
            "\"\(name)\" is not a dialect. Choose one of \(known.joined(separator: ", ")), or leave it out."
        }
    }
}
