import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
package import Processing
import ServiceLifecycle

/// The HTTP face, as a service that drains when it is told to stop.
package struct SidecarServer: Service {
    package struct Configuration: Sendable {
        package var host: String
        package var port: Int
        package var apiToken: String?
        /// How many notifications are worked on at once; one more is answered with 429.
        package var requestLimit: Int
        /// How many connections there may be beside those, from phones that fetch attachments.
        package var downloadLimit: Int

        package init(
            host: String = "127.0.0.1",
            port: Int = 8080,
            apiToken: String? = nil,
            requestLimit: Int = 256,
            downloadLimit: Int = 256,
        ) {
            self.host = host
            self.port = port
            self.apiToken = apiToken
            self.requestLimit = requestLimit
            self.downloadLimit = downloadLimit
        }
    }

    private let configuration: Configuration
    private let service: NotificationService
    private let attachments: AttachmentsRoute?
    private let health: HealthRoutes
    private let admission: Admission
    private let logger: Logger
    private let observe: @Sendable (AnsweredRequest) -> Void
    private let onListening: @Sendable (Int) async -> Void

    /// `onListening` is called with the port once connections are accepted.
    package init(
        configuration: Configuration,
        service: NotificationService,
        attachments: AttachmentsRoute? = nil,
        checkReadiness: @escaping @Sendable () async throws -> Void,
        metrics: @escaping @Sendable () -> String,
        logger: Logger,
        observe: @escaping @Sendable (AnsweredRequest) -> Void = { _ in },
        onListening: @escaping @Sendable (Int) async -> Void = { _ in },
    ) {
        self.configuration = configuration
        self.service = service
        self.attachments = attachments
        self.admission = Admission(limit: configuration.requestLimit)
        self.health = HealthRoutes(admission: admission, checkReadiness: checkReadiness, metrics: metrics)
        self.logger = logger
        self.observe = observe
        self.onListening = onListening
    }

    package func run() async throws {
        let application = Application(
            router: router,
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: "attachd",
                availableConnectionsDelegate: .maximum(
                    configuration.requestLimit + 64 + configuration.downloadLimit,
                    logger: logger
                ),
            ),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger,
        )
        try await withGracefulShutdownHandler {
            try await application.run()
        } onGracefulShutdown: {
            admission.drain()
        }
    }

    private var router: Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: AnswerCount(observe: observe))
        router.add(middleware: Problems())
        if let token = configuration.apiToken { router.add(middleware: BearerToken(token: token)) }
        let (rewrite, notifications) = (
            RewriteRoute(service: service, admission: admission),
            NotificationsRoute(service: service, admission: admission)
        )
        router.post("v1/rewrite") { request, _ in try await rewrite.respond(to: request) }
        router.post("v1/notifications") { request, _ in try await notifications.respond(to: request) }
        attachments?.add(to: router)
        router.get("livez") { _, _ in health.live() }
        router.get("readyz") { _, _ in try await health.ready() }
        router.get("metrics") { _, _ in health.exposition() }
        return router
    }
}
