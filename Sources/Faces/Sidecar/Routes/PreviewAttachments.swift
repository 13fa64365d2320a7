import HTTPTypes
import Hummingbird
import NIOCore
import Payloads
import Storage
import Timing

/// The routes `/preview/leases`, which give an open view signed URLs of its attachments.
struct PreviewAttachments: Sendable {
    let holds: AccessHolds
    let urls: AttachmentURLs

    private static let viewLimit = 16
    /// The maximum lifetime of a view. Without renewal, its hold ends earlier.
    private static let longestView: Duration = .seconds(24 * 3600)

    /// Opens a view. Takes `{"attachments": ["NAME", …]}` and answers with `{"lease", "renew": seconds, "urls":
    /// {"NAME": "/v1/attachments/…"}}`.
    func open(_ request: Request) async throws -> Response {
        let body = try? JSONValue(parsing: await request.payload())
        guard case .array(let names)? = body?["attachments"], names.count <= Self.viewLimit else {
            throw Problem(.unprocessableContent, "Send {\"attachments\": [names of ready files]}, 16 at most.")
        }
        let (hold, files) = try holds.open(names.compactMap(\.text).compactMap { AttachmentIdentifier($0) })
        let answer = JSONValue.object([
            .init("lease", .string(hold)),
            // Two renewals within the time of the hold, in case one of them is lost.
            .init("renew", .integer(Int(AccessHolds.time.components.seconds) / 3)),
            .init("urls", .object(files.map { .init($0.description, .string(url(of: $0, hold))) })),
        ])
        return PreviewHeaders.bytes(answer.compactBytes, type: "application/json")
    }

    func renew(_ hold: String) throws -> Response {
        guard try holds.renew(hold) else { throw Problem(.notFound, "The view was closed. Open it again.") }
        return Response(status: .noContent)
    }

    func close(_ hold: String) -> Response {
        holds.close(hold)
        return Response(status: .noContent)
    }

    /// Sets the URL of each of the content's attachments that the view may read.
    func address(in content: inout JSONValue, hold: String) {
        guard case .array(let attachments)? = content["attachments"] else { return }
        let addressed = attachments.map { attachment in
            guard case .object(let members) = attachment,
                let file = attachment["name"]?.text.flatMap({ AttachmentIdentifier($0) }),
                holds.grants(file, to: hold)
            else { return attachment }
            return JSONValue.object(members + [.init("url", .string(url(of: file, hold)))])
        }
        content.set(at: JSONPointer(tokens: ["attachments"]), to: .array(addressed))
    }

    private func url(of file: AttachmentIdentifier, _ hold: String) -> String {
        let expires = UnixTime.now + Self.longestView
        return urls.url(of: file, expires: expires.seconds, hold: hold)
    }
}
