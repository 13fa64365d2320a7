/// Why something sent to us is not the payload of a notification.
package enum PayloadError: Error, Sendable, Equatable, CustomStringConvertible {
    case notJSON(JSONError)
    case tooLarge(byteCount: Int, limit: Int)
    case notAnObject
    /// It has neither an `aps` object nor the form of a push service's request that we know.
    case noNotification
    case unknownDialect(String, known: [String])

    package var description: String {
        switch self {
        case .notJSON(let error): "The payload is not JSON: \(error)"
        case .tooLarge(let byteCount, let limit):
            "The payload has \(byteCount) bytes, and \(limit) are read at most; send large content by URL."
        case .notAnObject: "The payload is JSON, but no object; send one object with an `aps` object in it."
        case .noNotification: "The payload has no `aps` object; send it as the push service gets it, with `aps`."
        case .unknownDialect(let name, let known):
            "There is no dialect \"\(name)\"; choose one of \(known.joined(separator: ", ")), or leave it out."
        }
    }
}
