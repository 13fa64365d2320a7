package import Payloads

/// The reason why a request was not processed at all. The message says what to do.
package enum RequestError: Error, Sendable, CustomStringConvertible {
    case payload(PayloadError)
    /// The bytes are JSON, but not a valid envelope.
    case envelope(String)
    case option(String)

    package var description: String {
        switch self {
        case .payload(let error): error.description
        case .envelope(let message), .option(let message): message
        }
    }
}
