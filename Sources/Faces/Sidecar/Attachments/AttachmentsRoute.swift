package import Base
import Files
import HTTPTypes
import Hummingbird
import Media
import NIOCore
import Payloads
package import Storage

/// The routes of ready files: `GET` and `HEAD` of `/v1/attachments/{identifier}?expires=…&signature=…` and of its short
/// form.
///
/// A valid signature replaces the token. Without a signature, the answer does not reveal whether a file exists.
package struct AttachmentsRoute: Sendable {
    private let store: AttachmentStore
    private let signer: URLSigner
    private let holds: AccessHolds?
    private let now: @Sendable () -> UnixTime
    private let forget: Forget?
    /// The way in which the server in front sends the files; `nil` if attachd sends them.
    private let handover: FileHandover?
    /// Returns whether a file may be sent. If not, it may have been taken back, which cannot be asked now.
    private let mayServe: @Sendable (AttachmentIdentifier) -> Bool

    /// A function that takes attachments back.
    package typealias Forget = @Sendable (AttachmentReference) async throws -> ForgottenAttachments

    /// Creates the routes. Without `holds`, URLs that need a hold are refused. Without `forget`, attachments cannot
    /// be taken back.
    package init(
        store: AttachmentStore,
        holds: AccessHolds? = nil,
        mayServe: @escaping @Sendable (AttachmentIdentifier) -> Bool = { _ in true },
        forget: Forget? = nil,
        handover: FileHandover? = nil,
        now: @escaping @Sendable () -> UnixTime = { .now },
    ) {
        self.store = store
        self.holds = holds
        self.mayServe = mayServe
        self.forget = forget
        self.handover = handover
        self.signer = URLSigner(keys: store.keyring)
        self.now = now
    }

    /// Returns whether a path is that of a ready file, which does not need a token.
    static func isAt(_ path: String) -> Bool { path.hasPrefix("/v1/attachments/") || path.hasPrefix("/a/") }

    /// Returns whether a path is one of those that take attachments back. Like the router, it ignores repeated slashes.
    static func isBelow(_ path: String) -> Bool { path.split(separator: "/").prefix(2) == ["v1", "attachments"] }

    static let path = "/v1/attachments/{identifier}"

    func add(to router: Router<some RequestContext>) {
        for method in [HTTPRequest.Method.get, .head] {
            router.on(RouterPath(Self.path), method: method) { request, context in
                try await respond(to: request, context, SignedAccess(query: request.uri.query ?? ""))
            }
            router.on("a/{identifier}", method: method) { request, context in
                try await respond(to: request, context, SignedAccess(shortQuery: request.uri.query ?? ""))
            }
        }
        guard let forget else { return }
        router.delete(RouterPath(Self.path)) { _, context in
            guard let file = context.parameters.get("identifier").flatMap({ AttachmentIdentifier($0) }) else {
                throw Problem(.notFound, "No attachment has that name.")
            }
            return try await respond(forgetting: AttachmentReference(file: file), forget)
        }
        router.delete("v1/attachments") { request, _ in
            guard let source = request.uri.queryParameters["source"],
                let reference = AttachmentReference(String(source))
            else { throw Problem(.badRequest, "Name the source to take back: ?source=URL, with the URL encoded.") }
            return try await respond(forgetting: reference, forget)
        }
    }

    private func respond(forgetting reference: AttachmentReference, _ forget: Forget) async throws -> Response {
        let forgotten: ForgottenAttachments
        do {
            forgotten = try await forget(reference)
        } catch let error as AttachmentFailure {
            throw Problem(.badGateway, "The attachment was taken back here, but not everywhere. \(error.message)")
        } catch let error as FileError {
            let status = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
            throw Problem(status, "The attachment could not be taken back: \(error)")
        }
        guard forgotten.isKnown else {
            throw Problem(.notFound, "No worker knows it. It is taken back all the same: nobody gets it from now on.")
        }
        let names = forgotten.files.map { JSONValue.string($0.description) }
        let answer = JSONValue.object([
            .init("forgotten", .array(names)), .init("workers", .integer(forgotten.workers)),
        ])
        return Response.json(answer.compactBytes)
    }

    private func respond(
        to request: Request,
        _ context: some RequestContext,
        _ access: SignedAccess?,
    ) async throws -> Response {
        guard let identifier = context.parameters.get("identifier").flatMap({ AttachmentIdentifier($0) }) else {
            throw Problem(.notFound, "No attachment has that name.")
        }
        let now = now()
        guard let access, access.grants(identifier, by: signer, at: now) else {
            throw Problem(.forbidden, "The link is not valid or has expired. Process the notification again.")
        }
        if let name = access.hold {
            guard let holds, holds.grants(identifier, to: name) else {
                throw Problem(.forbidden, "The view of this link was closed. Open it again.")
            }
        }
        guard mayServe(identifier) else {
            let detail = "attachd cannot ask now whether the attachment was taken back. Try again."
            throw Problem(.serviceUnavailable, detail, retryAfter: 2)
        }
        guard let hold = try await store.startAccessing(identifier) else {
            guard await !store.isForgotten(identifier) else { throw Problem(.gone, "The attachment was taken back.") }
            throw Problem(.notFound, "The attachment no longer exists. Process the notification again.")
        }
        // A link that ends with its view must not be cached.
        let secondsLeft = access.hold == nil ? access.expires - now.seconds : nil
        let answer = AttachmentAnswer(hold: hold, store: store, secondsLeft: secondsLeft)
        // Views of the preview come to attachd itself, without the server in front.
        if let handover, access.hold == nil { return answer.response(handingOver: handover) }
        return try await answer.respond(to: request)
    }
}

// MARK: - Signatures

/// The expiry and the signature in a URL's query.
struct SignedAccess: Equatable {
    var expires: Int
    /// The name of the hold that must exist for the URL to be valid, if any.
    var hold: String?
    var signature: String

    /// Reads `expires=…&signature=…` and optionally `lease=…`, once each, in any order. Ignores other parameters.
    init?(query: String) {
        var values: [Substring: Substring] = [:]
        for parameter in query.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, values.updateValue(parts[1], forKey: parts[0]) == nil else { return nil }
        }
        guard let text = values["expires"], let expires = Int(text), String(expires) == text,
            let signature = values["signature"]
        else { return nil }
        (self.expires, self.signature) = (expires, String(signature))
        hold = values["lease"].map(String.init)
    }

    /// Reads the complete query of a short URL.
    init?(shortQuery: String) {
        guard let token = ShortToken(shortQuery) else { return nil }
        (expires, signature) = (token.expires, token.signature)
    }

    /// Returns whether the file may be fetched now. Always checks the signature first.
    func grants(_ identifier: AttachmentIdentifier, by signer: URLSigner, at now: UnixTime) -> Bool {
        let isOurs = signer.verify(signature, of: identifier, expires: expires, hold: hold)
        return isOurs && now.seconds < expires
    }
}
