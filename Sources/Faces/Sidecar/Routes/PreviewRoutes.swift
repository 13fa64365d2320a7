import Base
import HTTPTypes
import Hummingbird
import NIOCore
import Payloads
package import Preview
import Processing
package import Storage

/// The routes `/preview`: the page that shows a payload's notification, and the requests of this page.
package struct PreviewRoutes: Sendable {
    private let page: PreviewPage
    private let categories: [NotificationCategory]
    private let attachments: PreviewAttachments
    /// Returns the jobs to choose from, newest first.
    private let jobs: @Sendable () async -> [RecentJobs.Entry]

    package init(
        choices: PreviewPage.Choices,
        categories: [NotificationCategory],
        store: AttachmentStore,
        holds: AccessHolds,
        jobs: @escaping @Sendable () async -> [RecentJobs.Entry],
    ) {
        page = PreviewPage(choices)
        self.categories = categories
        attachments = PreviewAttachments(holds: holds, urls: store.urls(below: ""))
        self.jobs = jobs
    }

    /// Returns whether a path belongs to the preview. Like the router, it ignores repeated slashes.
    static func isAt(_ path: String) -> Bool { path.split(separator: "/").first == "preview" }

    func add(
        to router: Router<ClientContext>,
        service: NotificationService,
        admission: Admission,
        longWork: LongWork,
        session: PreviewSession?,
    ) {
        let login = PreviewLogin(page: page, session: session)
        router.get("preview") { request, _ in
            login.isIn(request) ? PreviewHeaders.html(page.html, PreviewHeaders.page) : login.form
        }
        router.post("preview/session") { request, _ in try await login.begin(request) }
        router.get("preview/assets/{name}") { _, context in try Self.asset(context.parameters.require("name")) }
        router.post("preview/notifications") { request, context in
            try await show(request, from: context.client, service, admission, longWork)
        }
        router.get("preview/jobs") { request, _ in
            guard let id = request.uri.queryParameters["id"] else { return await listJobs() }
            return try await job(String(id))
        }
        router.post("preview/leases") { request, _ in try await attachments.open(request) }
        router.put("preview/leases/{lease}") { _, context in
            try await attachments.renew(context.parameters.require("lease"))
        }
        router.delete("preview/leases/{lease}") { _, context in
            attachments.close(try context.parameters.require("lease"))
        }
        router.post("preview/layout") { request, _ in try await layout(request) }
    }

    private static func asset(_ name: String) throws -> Response {
        guard let asset = PreviewAssets.asset(named: name) else {
            throw Problem(.notFound, "The preview has no file \(name).")
        }
        return PreviewHeaders.bytes(asset.bytes, type: asset.type)
    }

    /// Processes the envelope of `POST /v1/notifications` and answers with a fragment for the page.
    private func show(
        _ request: Request,
        from client: ClientAddress,
        _ service: NotificationService,
        _ admission: Admission,
        _ longWork: LongWork,
    ) async throws -> Response {
        let accepted = service.now
        let body = try await request.payload()
        let envelope = try await longWork.read(body.count, from: client) { try NotificationEnvelope(body) }
        let result = try await admission.admit {
            try await longWork.perform(body.count) {
                try await service.process(.value(envelope.payload), options: envelope.options, accepted: accepted)
            }
        }
        service.left([result])
        let view = ResultView(result, categories: categories)
        return PreviewHeaders.html(page.fragment(view), PreviewHeaders.fragment)
    }

    private func listJobs() async -> Response {
        let ids = await jobs().map { JSONValue.string($0.id) }
        return PreviewHeaders.bytes(
            JSONValue.object([.init("jobs", .array(ids))]).compactBytes,
            type: "application/json"
        )
    }

    /// Returns the envelope of a job.
    private func job(_ id: String) async throws -> Response {
        guard let job = await jobs().first(where: { $0.id == id }) else {
            let reach = "Choose one of this worker's latest jobs or a dead letter of the queue."
            throw Problem(.notFound, "There is no job \(id) to show. \(reach)")
        }
        return PreviewHeaders.bytes(job.content, type: "application/json")
    }

    /// Returns a category's layout, filled with content. A form of the page requests it for the layout's frame.
    private func layout(_ request: Request) async throws -> Response {
        let form = try await PreviewForm(request)
        let name = form["category"] ?? ""
        guard let layout = categories.first(where: { $0.identifier == name })?.layout else {
            throw Problem(.notFound, "The category \(name) has no layout.")
        }
        guard let text = form["content"], var content = try? JSONValue(parsing: Array(text.utf8)) else {
            throw Problem(.badRequest, "The form's content is not JSON.")
        }
        attachments.address(in: &content, hold: form["lease"] ?? "")
        let nonce = RandomIdentifier.make()
        return PreviewHeaders.html(
            layout.page(LayoutContent(content), nonce: nonce),
            PreviewHeaders.layout(nonce: nonce)
        )
    }
}

// MARK: - Leases of attachments

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
        let (hold, files) = try await holds.open(names.compactMap(\.text).compactMap { AttachmentIdentifier($0) })
        let answer = JSONValue.object([
            .init("lease", .string(hold)),
            // Two renewals within the time of the hold, in case one of them is lost.
            .init("renew", .integer(Int(AccessHolds.time.components.seconds) / 3)),
            .init("urls", .object(files.map { .init($0.description, .string(url(of: $0, hold))) })),
        ])
        return PreviewHeaders.bytes(answer.compactBytes, type: "application/json")
    }

    func renew(_ hold: String) async throws -> Response {
        guard try await holds.renew(hold) else { throw Problem(.notFound, "The view was closed. Open it again.") }
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

// MARK: - The login

/// The login of the preview with the API token.
struct PreviewLogin: Sendable {
    let page: PreviewPage
    /// The sessions, or `nil` if no token is configured.
    let session: PreviewSession?

    func isIn(_ request: Request) -> Bool { session?.isHeld(by: request) ?? true }

    var form: Response { PreviewHeaders.html(page.login(isWrong: false), PreviewHeaders.page, status: .unauthorized) }

    /// Takes the token and answers with the session's cookie.
    func begin(_ request: Request) async throws -> Response {
        let token = try await PreviewForm(request)["token"] ?? ""
        guard let session else { return .redirect(to: "/preview", type: .normal) }
        guard session.isToken(token) else {
            return PreviewHeaders.html(page.login(isWrong: true), PreviewHeaders.page, status: .unauthorized)
        }
        var response = Response.redirect(to: "/preview", type: .normal)
        // A proxy in front of attachd may use TLS.
        let isSecure = request.headers[.named("X-Forwarded-Proto")] == "https"
        response.setCookie(
            Cookie(
                name: PreviewSession.cookieName,
                value: session.begin(),
                maxAge: Int(PreviewSession.lifetime.components.seconds),
                path: "/",
                secure: isSecure,
                httpOnly: true,
                sameSite: .strict,
            )
        )
        return response
    }
}

// MARK: - Forms

/// The fields of a form from a page of attachd (`application/x-www-form-urlencoded`).
struct PreviewForm {
    private let fields: [String: String]
    /// The maximum size in bytes: three bytes for each byte of a payload, and some more.
    private static let byteLimit = 262_144

    init(_ request: Request) async throws {
        let body = try await request.body.collect(upTo: Self.byteLimit)
        do {
            fields = try URLEncodedFormDecoder().decode([String: String].self, from: String(buffer: body))
        } catch {
            throw Problem(.badRequest, "The form was not understood.")
        }
    }

    subscript(name: String) -> String? { fields[name] }
}

// MARK: - Header fields

/// The header fields of answers to browsers. They allow only attachd's own files and scripts, and forbid framing by
/// other sites.
enum PreviewHeaders {
    /// The policy of the page itself.
    static let page = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "media-src 'self'",
        "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ]
    /// The policy of fragments for the page, in case a fragment is opened separately.
    static let fragment = ["default-src 'none'", "sandbox", "frame-ancestors 'none'"]

    /// Returns the policy of a category's layout in its frame. It allows the layout's styles and attachments, but not
    /// scripts. The page can measure the frame.
    static func layout(nonce: String) -> [String] {
        [
            "default-src 'none'", "style-src 'nonce-\(nonce)'", "img-src 'self'", "media-src 'self'",
            "form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'", "sandbox allow-same-origin",
        ]
    }

    static func html(
        _ text: String,
        _ policy: [String],
        status: HTTPResponse.Status = .ok,
    ) -> Response {
        var headers = fields(type: "text/html; charset=utf-8")
        headers[.contentSecurityPolicy] = policy.joined(separator: "; ")
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    static func bytes(_ bytes: [UInt8], type: String) -> Response {
        Response(status: .ok, headers: fields(type: type), body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func fields(type: String) -> HTTPFields {
        [
            .contentType: type,
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
            // The server recognizes its own forms by their origin, which "no-referrer" would omit.
            .named("Referrer-Policy"): "same-origin",
            .named("Cross-Origin-Resource-Policy"): "same-origin",
            .named("Cross-Origin-Opener-Policy"): "same-origin",
        ]
    }
}
