import HTTPTypes
import Hummingbird
import Jobs
import NIOCore
import Payloads
import Processing

/// The body of a request that has one notification or a list of them.
enum RequestBody {
    case one([UInt8])
    /// A list that is not parsed yet, because that needs a permit.
    case list([UInt8])

    /// Receives the body of `request`, and does `work` with it. A body of more than 64 KiB must be a list, of which only a
    /// few are in memory at the same time.
    static func with<Value>(
        _ request: Request,
        _ lanes: ListLanes,
        _ work: (RequestBody) async throws -> Value,
    ) async throws -> Value {
        let (limits, client) = (lanes.limits, lanes.client)
        var bytes: [UInt8] = []
        var isKnownList = false
        var hasPermit = false
        defer { if hasPermit { limits.bodies.leave(client) } }
        for try await buffer in request.body {
            bytes += buffer.readableBytesView
            if !isKnownList, isList(bytes) {
                isKnownList = true
                try lanes.checkRoom()
            }
            guard bytes.count > PayloadReader.byteLimit else { continue }
            guard isKnownList else { throw tooLarge("The body is over 64 KiB; a push payload is 4 kB at most.") }
            guard bytes.count <= ListLimits.byteLimit else {
                throw tooLarge("The list is over 512 KiB. Send several lists.")
            }
            guard !hasPermit else { continue }
            guard limits.bodies.enter(client) else {
                let detail = "Too many long lists are in progress already. Try again shortly, or send short ones."
                throw Problem(.tooManyRequests, detail, retryAfter: 1)
            }
            hasPermit = true
        }
        return try await work(isKnownList ? .list(bytes) : .one(bytes))
    }

    private static func tooLarge(_ detail: String) -> Problem { Problem(.contentTooLarge, detail) }

    private static func isList(_ bytes: [UInt8]) -> Bool {
        bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
    }

    /// Parses a list.
    static func items(of bytes: [UInt8]) throws -> [JSONValue] {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw RequestError.payload(.notJSON(error))
        }
        guard case .array(let items) = value, !items.isEmpty else {
            throw Problem(.unprocessableContent, "The list is empty. Send 1 to \(ListLimits.itemLimit) notifications.")
        }
        guard items.count <= ListLimits.itemLimit else {
            let detail = "The list has \(items.count) notifications; at most \(ListLimits.itemLimit) are allowed. "
            throw Problem(.unprocessableContent, detail + "Send several lists.")
        }
        return items
    }
}

// MARK: - One payload

extension Request {
    /// Reads the body, which is or contains a payload. Refuses more than 64 KiB.
    func payload() async throws -> [UInt8] {
        let buffer = try await body.collect(upTo: PayloadReader.byteLimit)
        return Array(buffer: buffer)
    }
}

extension Response {
    /// Returns an answer of JSON. Caches must not store one that a moment later may no longer be true.
    static func json(
        _ bytes: [UInt8],
        _ status: HTTPResponse.Status = .ok,
        mayBeStored: Bool = true,
    ) -> Response {
        var headers: HTTPFields = [.contentType: "application/json"]
        if !mayBeStored { headers[.cacheControl] = "no-store" }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
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
