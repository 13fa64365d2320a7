import HTTPTypes
import Hummingbird
import Media
import Storage
import Timing

/// The answer to a request for a ready file with a valid signature (RFC 9110, sections 8, 13 and 14).
struct AttachmentAnswer {
    let lease: AttachmentHold
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
        describeFile(in: &headers)
        switch ranges(request, validators) {
        case .whole:
            return try await response(request, .ok, headers, [.bytes(0..<lease.byteCount)])
        case .parts(let parts) where parts.count == 1:
            headers[.contentRange] = contentRange(parts[0])
            return try await response(request, .partialContent, headers, [.bytes(parts[0])])
        case .parts(let parts):
            let multipart = Multipart(parts, of: lease.byteCount, type: lease.identifier.format.mimeType)
            headers[.contentType] = multipart.type
            return try await response(request, .partialContent, headers, multipart.pieces)
        case .unsatisfiable:
            var problem = Problem(.rangeNotSatisfiable, "The file has \(lease.byteCount) bytes.")
            problem.contentRange = "bytes */\(lease.byteCount)"
            throw problem
        }
    }

    /// The whole file, if it is small and in memory, with the fields that the server adds elsewhere.
    func wholeFile(at now: UnixTime) -> WholeFile? {
        guard let bytes = try? AttachmentBody(lease: lease, store: store, pieces: []).wholeAtOnce else { return nil }
        var headers = headers(validators)
        describeFile(in: &headers)
        headers[.contentLength] = String(bytes.readableBytes)
        headers[.date] = HTTPDate.text(now.seconds)
        headers[.server] = "attachd"
        return WholeFile(headers: headers, bytes: bytes)
    }

    private var validators: Validators {
        Validators(entityTag: "\"\(lease.identifier)\"", lastModified: lease.stored.seconds)
    }

    private func describeFile(in headers: inout HTTPFields) {
        headers[.contentType] = lease.identifier.format.mimeType
        headers[.contentDisposition] = "inline; filename=\"\(lease.identifier)\""
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

    /// Returns the requested ranges. Ranges apply only to `GET` (RFC 9110, section 14.2).
    private func ranges(_ request: Request, _ validators: Validators) -> RequestedRanges {
        guard request.method == .get, let field = request.headers[.range], validators.allowsRanges(request.headers)
        else { return .whole }
        return RequestedRanges(field, of: lease.byteCount)
    }

    private func contentRange(_ part: Range<Int>) -> String {
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(lease.byteCount)"
    }

    private func response(
        _ request: Request,
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        _ pieces: [AttachmentBody.Piece],
    ) async throws -> Response {
        let body = AttachmentBody(lease: lease, store: store, pieces: pieces)
        guard request.method == .head else {
            return Response(status: status, headers: headers, body: try await body.content)
        }
        var headers = headers
        headers[.contentLength] = String(body.byteCount)
        return Response(status: status, headers: headers)
    }
}
