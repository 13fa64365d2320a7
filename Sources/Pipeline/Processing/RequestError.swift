package import Payloads

/// Why a request was not processed at all. The message says what to do.
package enum RequestError: Error, Sendable, CustomStringConvertible {
    case payload(PayloadError)
    /// JSON, but no envelope.
    case envelope(String)
    case option(String)

    package var description: String {
        switch self {
        case .payload(let error): error.description
        case .envelope(let message), .option(let message): message
        }
    }
}
