package import Base
import HTTPTypes
import Hummingbird
package import Jobs
package import Logging
import Media
import NIOCore
package import Payloads
import Preview
package import Processing
import ServiceLifecycle

/// The HTTP server, as a service that drains when it is told to stop.
package struct SidecarServer: Service, CustomStringConvertible {
    package struct Configuration: Sendable {
        /// The version of attachd, which `/livez` tells.
        package var version = "0"
        /// The commit of attachd's sources, which `/livez` tells if it is known.
        package var commit: String?
        package var host = "127.0.0.1"
        package var port = 8080
        /// The address at which a `MetricsServer` has the metrics instead of this server; `nil` if it has them itself.
        package var metricsAddress: HostAndPort?
        /// The token that clients must send, if any. It may be replaced at any time.
        package var apiToken: Replaceable<Secret<String>>?
        /// The maximum number of concurrent notifications. Further ones are answered with 429.
        package var requestLimit = 256
        /// The most of them for single tenants.
        package var tenantShares = TenantShares()
        /// The maximum number of additional connections, for phones that fetch attachments.
        package var downloadLimit = 256
        /// The limits of clients' time and connections.
        package var clients = ClientLimits()
        /// The heartbeats of the parts that everything needs, which `/livez` looks at.
        package var heartbeats = LoopHeartbeats.ofThisProcess

        package init() {}
    }

    package let description = "HTTP server"
    private let configuration: Configuration
    private let service: NotificationService?
    private let queue: (any JobQueue)?
    private let attachments: AttachmentsRoute?
    private let preview: PreviewRoutes?
    private let responses: ResponsesRoute?
    private let formats: FormatsRoute?
    private let health: HealthRoutes
    private let callbackRefusal: @Sendable (String) -> String?
    private let scale: (@Sendable () async throws -> JSONValue)?
    private let admission: Admission
    private let lists: ListLimits
    private let whenStarted: @Sendable () async -> Void
    private let logger: Logger
    private let recorder: any EventRecorder<SidecarEvent>

    /// Creates a server. Without a `service`, it does not accept notifications over HTTP. Without a `queue`, it does
    /// not accept jobs.
    ///
    /// Requests that are work wait for `whenStarted`; health checks do not. `callbackRefusal` returns the reason why a
    /// callback's URL is not allowed, or `nil`. `scale` returns the number of workers that the queue needs, with what it is
    /// made of.
    package init(
        configuration: Configuration,
        service: NotificationService?,
        queue: (any JobQueue)? = nil,
        attachments: AttachmentsRoute? = nil,
        preview: PreviewRoutes? = nil,
        responses: ResponsesRoute? = nil,
        formats: FormatsRoute? = nil,
        whenStarted: @escaping @Sendable () async -> Void = {},
        checkReadiness: @escaping @Sendable () async throws -> Void,
        remarks: @escaping @Sendable () async -> [String] = { [] },
        metrics: @escaping @Sendable () async -> String,
        callbackRefusal: @escaping @Sendable (String) -> String? = { _ in nil },
        scale: (@Sendable () async throws -> JSONValue)? = nil,
        logger: Logger,
        recorder: any EventRecorder<SidecarEvent> = NoRecorder<SidecarEvent>(),
    ) {
        self.configuration = configuration
        self.service = service
        self.queue = queue
        self.attachments = attachments
        self.preview = preview
        self.responses = responses
        self.formats = formats
        self.admission = Admission(limit: configuration.requestLimit, shares: configuration.tenantShares)
        self.whenStarted = whenStarted
        self.lists = ListLimits(requestLimit: configuration.requestLimit)
        let readiness = SingleFlight<OneKey, (any Error)?>(keptFor: .seconds(1))
        self.health = HealthRoutes(
            version: configuration.version,
            commit: configuration.commit,
            admission: admission,
            heartbeats: configuration.heartbeats,
            readiness: {
                await readiness.value {
                    do {
                        try await checkReadiness()
                        return nil
                    } catch {
                        return error
                    }
                }
            },
            remarks: remarks,
            metrics: metrics,
        )
        self.callbackRefusal = callbackRefusal
        self.scale = scale
        self.logger = logger
        self.recorder = recorder
    }

    /// The server of metrics at an address of their own, if there is one. It is a service beside this one.
    package var metricsServer: MetricsServer? {
        configuration.metricsAddress.map { address in
            MetricsServer(
                address: address,
                health: health,
                clients: configuration.clients,
                logger: logger,
                recorder: recorder,
            )
        }
    }

    package func run() async throws {
        let listener = HTTPListener(
            address: HostAndPort(host: configuration.host, port: configuration.port),
            clients: configuration.clients,
            connectionLimit: configuration.requestLimit + 64 + configuration.downloadLimit,
            isDraining: { [admission] in admission.isDraining },
            logger: logger,
        )
        try await withGracefulShutdownHandler {
            try await listener.serve(router) { [recorder] in recorder.record(.listening(port: $0)) }
        } onGracefulShutdown: {
            admission.close()
        }
    }

    /// Begins the end: `/readyz` tells balancers from now on, and only requests are accepted that are answered within
    /// `limit`. A graceful shutdown closes the listener.
    package func drain(within limit: Duration) { admission.drain(until: SystemTime().now + limit) }

    private var router: Router<ClientContext> {
        let router = Router(context: ClientContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerCount(recorder: recorder))
        router.add(middleware: Problems())
        let access = AccessGuard<ClientContext>(token: configuration.apiToken)
        router.add(middleware: access)
        router.add(middleware: StartGate(whenStarted: whenStarted))
        // After the guard: a client without the token makes no spans.
        router.add(middleware: RequestActivities(recorder: recorder))
        // Inside the activity, so that it has the status that the client gets.
        router.add(middleware: Problems())
        if let service {
            add(service, to: router)
            preview?.add(
                to: router,
                service: service,
                admission: admission,
                longWork: lists.longWork,
                session: access.session
            )
        }
        if let responses {
            router.post("v1/responses") { request, _ in try await responses.respond(to: request) }
        }
        if let scale {
            router.get("v1/scale") { _, _ in Response.json(try await scale().compactBytes, mayBeStored: false) }
        }
        attachments?.add(to: router)
        formats?.add(to: router)
        health.add(to: router, withMetrics: configuration.metricsAddress == nil)
        router.addOtherMethods()
        return router
    }

    private func add(_ service: NotificationService, to router: Router<ClientContext>) {
        let rewrite = RewriteRoute(service: service, admission: admission, lists: lists)
        let notifications = NotificationsRoute(service: service, admission: admission, lists: lists)
        router.post("v1/rewrite") { request, context in
            try await rewrite.respond(to: request, from: context.client)
        }
        router.post("v1/notifications") { request, context in
            try await notifications.respond(to: request, from: context.client)
        }
        let prepare = PrepareRoute(service: service, admission: admission, lists: lists)
        router.post("v1/prepare") { request, context in
            try await prepare.respond(to: request, from: context.client)
        }
        let description = OpenAPIDescription(
            profiles: service.profileNames,
            dialects: service.dialectNames,
            categories: responses?.categories ?? [],
            needsToken: configuration.apiToken != nil,
            hasMetrics: configuration.metricsAddress == nil,
        )
        .bytes
        router.get("openapi.json") { _, _ in Response.json(description) }
        guard let queue else { return }
        let jobs = JobsRoutes(
            service: service,
            queue: queue,
            admission: admission,
            longWork: lists.longWork,
            callbackRefusal: callbackRefusal,
            waiting: Admission(limit: configuration.requestLimit),
            recorder: recorder,
        )
        router.post("v1/jobs") { request, context in try await jobs.enqueue(request, from: context.client) }
        router.get("v1/jobs/:id") { request, context in
            try await jobs.state(request, id: try context.parameters.require("id"))
        }
        router.delete("v1/jobs/:id") { request, context in
            try await jobs.cancel(request, id: try context.parameters.require("id"))
        }
    }
}

// MARK: - Requests before the start

/// A middleware that holds requests until work may begin. Health checks, metrics and ready files do not wait.
struct StartGate<Context: RequestContext>: RouterMiddleware {
    let whenStarted: @Sendable () async -> Void

    func handle(_ request: Request, context: Context, next: NextHandler<Context>) async throws -> Response {
        let path = request.uri.path
        let isReading = HealthRoutes.isCheck(path[...]) || path == "/metrics" || path.hasPrefix("/v1/attachments/")
        if !isReading { await whenStarted() }
        return try await next(request, context)
    }
}

/// The context of a request, with the address of its client.
struct ClientContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let client: ClientAddress

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        client = ClientAddress(source.channel.remoteAddress)
    }
}
