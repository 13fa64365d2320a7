import HTTPTypes
import Hummingbird
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
            try attachments.renew(context.parameters.require("lease"))
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
