import HTTPTypes
import Hummingbird
import NIOCore
import Payloads
import Storage
import Timing

/// `/preview/leases`: the attachments of a view, by signed URLs that hold while it is open.
struct PreviewAttachments: Sendable {
    let leases: AccessHolds
    let urls: AttachmentURLs

    private static let viewLimit = 16
    /// The lease ends sooner, unless it is renewed.
    private static let longestView: Duration = .seconds(24 * 3600)

    /// `{"attachments": ["NAME", …]}` in; `{"lease", "renew": seconds, "urls": {"NAME": "/v1/attachments/…"}}` out.
    func open(_ request: Request) async throws -> Response {
        let body = try? JSONValue(parsing: await request.payload())
        guard case .array(let names)? = body?["attachments"], names.count <= Self.viewLimit else {
            throw Problem(.unprocessableContent, "Send {\"attachments\": [names of ready files]}, 16 at most.")
        }
        let (lease, files) = try leases.open(names.compactMap(\.text).compactMap { AttachmentIdentifier($0) })
        let answer = JSONValue.object([
            .init("lease", .string(lease)),
            // Twice, in case that one is lost.
            .init("renew", .integer(Int(AccessHolds.time.components.seconds) / 3)),
            .init("urls", .object(files.map { .init($0.description, .string(url(of: $0, lease))) })),
        ])
        return PreviewHeaders.bytes(answer.compactBytes, type: "application/json")
    }

    func renew(_ lease: String) throws -> Response {
        guard try leases.renew(lease) else { throw Problem(.notFound, "The view was closed: open it anew.") }
        return Response(status: .noContent)
    }

    func close(_ lease: String) -> Response {
        leases.close(lease)
        return Response(status: .noContent)
    }

    /// Gives each of the content's attachments that the view has the URL under which it is fetched.
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
