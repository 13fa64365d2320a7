package import Logging
import Media
import Processing
import ServiceLifecycle
import Sidecar
import UnixSignals

/// Runs the sidecar until it is told to stop, and drains it then.
package struct SidecarServices: Sendable {
    private let settings: Settings
    private let engine: Engine
    private let logger: Logger

    package init(_ settings: Settings, _ engine: Engine, logger: Logger) {
        self.settings = settings
        self.engine = engine
        self.logger = logger
    }

    package func run() async throws {
        let server = SidecarServer(
            configuration: .init(
                host: settings.host,
                port: settings.port,
                apiToken: settings.apiToken,
                requestLimit: settings.requests,
                downloadLimit: OpenFiles.downloads(beside: settings.requests),
            ),
            service: engine.service,
            attachments: AttachmentsRoute(store: engine.store),
            checkReadiness: { try await engine.checkReadiness() },
            metrics: { engine.metrics },
            logger: logger,
            observe: { engine.count($0) },
            onListening: { port in logger.notice("attachd listens.", metadata: ["port": "\(port)"]) },
        )
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: StoreSweeper(store: engine.store, time: SystemTime())), .init(service: server)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger,
        )
        // A request is answered by its deadline, so draining ends by itself; this is for one that asked for the longest.
        configuration.maximumGracefulShutdownDuration = NotificationService.longestTimeLimit
        try await ServiceGroup(configuration: configuration).run()
        await engine.shutDown()
    }
}
