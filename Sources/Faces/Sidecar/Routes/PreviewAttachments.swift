import HTTPTypes
import Hummingbird
import NIOCore
import Payloads
import Storage
import Timing

/// The routes `/preview/leases`, which give an open view signed URLs of its attachments.
struct PreviewAttachments: Sendable {
    let leases: AccessHolds
    let urls: AttachmentURLs

    private static let viewLimit = 16
    /// The maximum lifetime of a view. Without renewal, its lease ends earlier.
    private static let longestView: Duration = .seconds(24 * 3600)

    /// Opens a view. Takes `{"attachments": ["NAME", …]}` and answers with `{"lease", "renew": seconds, "urls":
    /// {"NAME": "/v1/attachments/…"}}`.
    func open(_ request: Request) async throws -> Response {
        let body = try? JSONValue(parsing: await request.payload())
        guard case .array(let names)? = body?["attachments"], names.count <= Self.viewLimit else {
            throw Problem(.unprocessableContent, "Send {\"attachments\": [names of ready files]}, 16 at most.")
        }
        let (lease, files) = try leases.open(names.compactMap(\.text).compactMap { AttachmentIdentifier($0) })
        let answer = JSONValue.object([
            .init("lease", .string(lease)),
            // Two renewals within the lease time, in case one of them is lost.
            .init("renew", .integer(Int(AccessHolds.time.components.seconds) / 3)),
            .init("urls", .object(files.map { .init($0.description, .string(url(of: $0, lease))) })),
        ])
        return PreviewHeaders.bytes(answer.compactBytes, type: "application/json")
    }

    func renew(_ lease: String) throws -> Response {
        guard try leases.renew(lease) else { throw Problem(.notFound, "The view was closed. Open it again.") }
        return Response(status: .noContent)
    }

    func close(_ lease: String) -> Response {
        leases.close(lease)
        return Response(status: .noContent)
    }

    /// Sets the URL of each of the content's attachments that the view may read.
    func address(in content: inout JSONValue, lease: String) {
        guard case .array(let attachments)? = content["attachments"] else { return }
        let addressed = attachments.map { attachment in
            guard case .object(let members) = attachment,
                let file = attachment["name"]?.text.flatMap({ AttachmentIdentifier($0) }),
                leases.grants(file, to: lease)
            else { return attachment }
            return JSONValue.object(members + [.init("url", .string(url(of: file, lease)))])
        }
        content.set(at: JSONPointer(tokens: ["attachments"]), to: .array(addressed))
    }

    private func url(of file: AttachmentIdentifier, _ lease: String) -> String {
        let expires = UnixTime.now + Self.longestView
        return urls.url(of: file, expires: expires.seconds, lease: lease)
    }
}
