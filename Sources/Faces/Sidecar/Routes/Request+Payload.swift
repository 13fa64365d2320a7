import Hummingbird
import Jobs
import NIOCore
import Payloads
import Processing

extension Request {
    /// Reads the body, which is or contains a payload. Refuses more than 64 KiB.
    func payload() async throws -> [UInt8] {
        let buffer = try await body.collect(upTo: PayloadReader.byteLimit)
        return Array(buffer: buffer)
    }
}

extension Problem {
    init(_ error: UnreadableRequestError) {
        switch error {
        case .malformed: self = .unreadable
        case .late:
            self.init(.requestTimeout, "The request's body took too long to arrive. Send it again, without pauses.")
            endsConnection = true
        }
    }

    init(_ error: JobQueueError) {
        switch error.reason {
        case .badJob: self.init(.unprocessableContent, error.description)
        default: self.init(.serviceUnavailable, "The queue is not available: \(error)", retryAfter: 1)
        }
    }

    init(_ error: RequestError) {
        switch error {
        case .option(let message): self.init(.badRequest, message)
        case .envelope(let message): self.init(.unprocessableContent, message)
        case .payload(let error):
            switch error {
            case .notJSON, .unknownDialect: self.init(.badRequest, error.description)
            case .tooLarge: self.init(.contentTooLarge, error.description)
            case .notAnObject, .noNotification: self.init(.unprocessableContent, error.description)
            }
        }
    }
}
