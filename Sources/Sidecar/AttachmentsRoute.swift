import HTTPTypes
import Hummingbird
package import Storage

/// `GET` and `HEAD` of `/v1/attachments/{identifier}?expires=…&signature=…`, and of its short form: the ready files.
///
/// The signature is the key: no token is needed, and without a signature nobody learns whether a file is there.
package struct AttachmentsRoute: Sendable {
    private let store: AttachmentStore
    private let signer: URLSigner
    private let leases: AccessLeases?
    private let now: @Sendable () -> UnixTime

    /// Without `leases`, no URL that needs one is answered.
    package init(
        store: AttachmentStore,
        leases: AccessLeases? = nil,
        now: @escaping @Sendable () -> UnixTime = { .now },
    ) {
        self.store = store
        self.leases = leases
        self.signer = URLSigner(keys: store.keys)
        self.now = now
    }

    /// Whether a path is one of these, and so open to all.
    static func isAt(_ path: String) -> Bool { path.hasPrefix("/v1/attachments/") || path.hasPrefix("/a/") }

    func add(to router: Router<some RequestContext>) {
        for method in [HTTPRequest.Method.get, .head] {
            router.on("v1/attachments/{identifier}", method: method) { request, context in
                try await respond(to: request, context, SignedAccess(query: request.uri.query ?? ""))
            }
            router.on("a/{identifier}", method: method) { request, context in
                try await respond(to: request, context, SignedAccess(shortQuery: request.uri.query ?? ""))
            }
        }
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
            throw Problem(.forbidden, "The link is not one of ours, or its time is up: process the notification anew.")
        }
        if let name = access.lease {
            guard let leases, leases.grants(identifier, to: name) else {
                throw Problem(.forbidden, "The view that this link is of was closed: open it anew.")
            }
        }
        guard let lease = try store.startAccessing(identifier) else {
            throw Problem(.notFound, "The attachment is no longer there: process the notification anew.")
        }
        // What ends with a view is kept nowhere else.
        let secondsLeft = access.lease == nil ? access.expires - now.seconds : nil
        let answer = AttachmentAnswer(lease: lease, store: store, secondsLeft: secondsLeft)
        return try await answer.respond(to: request)
    }
}
