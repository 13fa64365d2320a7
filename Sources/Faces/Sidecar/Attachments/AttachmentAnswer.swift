import HTTPTypes
import Hummingbird
import Media
import Storage
import Timing

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
        headers[.contentType] = hold.identifier.format.mimeType
        headers[.contentDisposition] = "inline; filename=\"\(hold.identifier)\""
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
