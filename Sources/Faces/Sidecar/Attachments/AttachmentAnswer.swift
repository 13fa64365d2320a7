import Base
import HTTPTypes
import Hummingbird
import Media
import NIOCore
import Storage

/// The answer to a request for a ready file with a valid signature (RFC 9110, sections 8, 13 and 14).
struct AttachmentAnswer {
    let hold: AttachmentHold
    let store: AttachmentStore
    /// The remaining lifetime of the URL, for which caches may keep the answer, or `nil` if they must not keep it.
    let secondsLeft: Int?

    func respond(to request: Request) async throws -> Response {
        var headers = headers(validators)
        switch validators.evaluate(request.headers) {
        case .notModified: return Response(status: .notModified, headers: headers)
        case .failed:
            throw Problem(.preconditionFailed, "The file does not meet the request's conditions.")
        case .proceed: break
        }
        headers.append(contentsOf: fileHeaders)
        switch range(request, validators) {
        case .whole:
            return try await response(request, .ok, headers, 0..<hold.byteCount)
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(hold.byteCount)"
            return try await response(request, .partialContent, headers, range)
        case .unsatisfiable:
            var problem = Problem(.rangeNotSatisfiable, "The file has \(hold.byteCount) bytes.")
            problem.contentRange = "bytes */\(hold.byteCount)"
            throw problem
        }
    }

    /// Returns the answer that has the server in front send the file. It alone knows the ranges and conditions of its own
    /// answers, so none is looked at here.
    func response(handingOver handover: FileHandover) -> Response {
        var headers = headers(validators)
        headers.append(contentsOf: fileHeaders)
        let (name, value) = handover.field(for: hold.identifier, in: store)
        if let name = HTTPField.Name(name) { headers[name] = value }
        return Response(status: .ok, headers: headers)
    }

    private var validators: Validators {
        Validators(entityTag: "\"\(hold.identifier)\"", lastModified: hold.stored.seconds)
    }

    private func headers(_ validators: Validators) -> HTTPFields {
        [
            .eTag: validators.entityTag,
            .lastModified: HTTPDate.text(validators.lastModified),
            .acceptRanges: "bytes",
            // The URL is the secret. Every client that has it may read the file, and caches identify the file by it.
            .cacheControl: secondsLeft.map { "public, max-age=\($0), immutable" } ?? "no-store",
            .xContentTypeOptions: "nosniff",
        ]
    }

    private var fileHeaders: HTTPFields {
        [
            .contentType: hold.identifier.format.mimeType,
            .contentDisposition: "inline; filename=\"\(hold.identifier)\"",
        ]
    }

    /// Returns the requested range. Ranges apply only to `GET` (RFC 9110, section 14.2).
    private func range(_ request: Request, _ validators: Validators) -> RequestedRange {
        guard request.method == .get, let field = request.headers[.range], validators.allowsRanges(request.headers)
        else { return .whole }
        return RequestedRange(field, of: hold.byteCount)
    }

    private func response(
        _ request: Request,
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        _ range: Range<Int>,
    ) async throws -> Response {
        guard request.method == .head else {
            let body = AttachmentBody(hold: hold, store: store, range: range)
            return Response(status: status, headers: headers, body: try await body.content)
        }
        var headers = headers
        headers[.contentLength] = String(range.count)
        return Response(status: status, headers: headers)
    }
}

// MARK: - The body

/// A ready file, or a part of it, as the body of an answer. It keeps the hold until all bytes are sent.
struct AttachmentBody: Sendable {
    let hold: AttachmentHold
    let store: AttachmentStore
    let range: Range<Int>

    /// The number of bytes read at once, which is also the memory for each connection of a slow client.
    private static let blockSize = 131_072

    /// The body. It writes a small file at once, and a larger one block by block as the client receives it.
    var content: ResponseBody {
        get async throws {
            if range.count <= Self.blockSize { return ResponseBody(byteBuffer: try await block(range)) }
            return ResponseBody(contentLength: range.count) { writer in
                for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.blockSize) {
                    try await writer.write(block(start..<min(start + Self.blockSize, range.upperBound)))
                }
                try await writer.finish(nil)
            }
        }
    }

    /// Reads a block: on this thread if it is in the page cache, as in most cases, and otherwise on the store's thread.
    private func block(_ range: Range<Int>) async throws -> ByteBuffer {
        if let buffer = try read(range, waits: false) { return buffer }
        let result = try await store.perform { Result { try read(range, waits: true) } }
        return try result.get() ?? ByteBuffer()
    }

    private func read(_ range: Range<Int>, waits: Bool) throws -> ByteBuffer? {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        var isThere = true
        try unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { bytes in
            let wanted = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<range.count])
            let count = try unsafe hold.read(at: range.lowerBound, into: wanted, waits: waits)
            isThere = count != nil
            return count ?? 0
        }
        return isThere ? buffer : nil
    }
}

// MARK: - The range

/// The part of a representation that a `Range` field asks for (RFC 9110, section 14).
enum RequestedRange: Equatable {
    /// The whole representation: the field is malformed, or names several ranges.
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// Reads the field's value for a representation of `byteCount` bytes.
    ///
    /// A server may ignore a request for several ranges (section 14.2): players and downloaders ask for one. A malformed
    /// range is refused rather than ignored, as nginx does.
    init(_ field: String, of byteCount: Int) {
        self = .whole
        guard field.utf8.count > 6, field.prefix(6).lowercased() == "bytes=" else { return }
        let specifiers = field.dropFirst(6).split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
            .filter { !$0.isEmpty }
        guard specifiers.count <= 1 else { return }
        let range = specifiers.first.flatMap { Self.range($0, of: byteCount) }
        self = if let range, !range.isEmpty { .part(range) } else { .unsatisfiable }
    }

    /// The bytes that one specifier means, empty if they lie behind the end; `nil` if the text is not a specifier.
    private static func range(_ text: String, of byteCount: Int) -> Range<Int>? {
        guard let dash = text.utf8.firstIndex(of: 0x2D) else { return nil }
        let (first, last) = (text[..<dash], text[text.utf8.index(after: dash)...])
        guard !first.isEmpty else {
            return number(last).map { max(0, byteCount - $0)..<byteCount }
        }
        guard let start = number(first) else { return nil }
        guard !last.isEmpty else { return start < byteCount ? start..<byteCount : 0..<0 }
        guard let end = number(last) else { return nil }
        return start <= end && start < byteCount ? start..<min(byteCount, end + 1) : 0..<0
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
