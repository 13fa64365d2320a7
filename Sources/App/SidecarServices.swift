import Jobs
package import Logging
import Media
import Processing
import ServiceLifecycle
import Sidecar
import UnixSignals
import Worker

/// Runs the sidecar and the worker of its queue until they are told to stop, and drains them then.
package struct SidecarServices: Sendable {
    private let settings: Settings
    private let engine: Engine
    private let queue: OpenQueue
    private let logger: Logger

    package init(_ settings: Settings, _ engine: Engine, _ queue: OpenQueue, logger: Logger) {
        self.settings = settings
        self.engine = engine
        self.queue = queue
        self.logger = logger
    }

    /// Without `takesRequests`, work comes from the queue alone, and HTTP has health and metrics.
    package func run(takesRequests: Bool) async throws {
        var configuration = ServiceGroupConfiguration(
            // Stopped from the last to the first: requests that were let in may still enqueue.
            services: [
                .init(service: StoreSweeper(store: engine.store, time: SystemTime())), .init(service: worker),
                .init(service: server(takesRequests: takesRequests)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger,
        )
        // A request is answered by its deadline, so draining ends by itself; this is for one that asked for the longest.
        configuration.maximumGracefulShutdownDuration = NotificationService.longestTimeLimit
        try await ServiceGroup(configuration: configuration).run()
        await queue.shutDown()
        await engine.shutDown()
    }

    private var worker: WorkerService {
        WorkerService(
            queue: queue.jobs,
            handler: NotificationJobs(service: engine.service),
            poster: engine.callbacks,
            // Most of them wait for their downloads; decoding has places of its own. More are held than are worked on, so
            // that those without a chance are answered too.
            limits: WorkerLimits(slots: settings.decoders * 32, held: 4096),
            observe: { event in
                engine.queueMetrics.count(event)
                if case .queueFailed(let error) = event {
                    logger.warning("The queue failed, and is asked again.", metadata: ["reason": "\(error)"])
                }
            },
        )
    }

    private func server(takesRequests: Bool) -> SidecarServer {
        SidecarServer(
            configuration: .init(
                host: settings.host,
                port: settings.port,
                apiToken: settings.apiToken,
                requestLimit: settings.requests,
                downloadLimit: takesRequests ? OpenFiles.downloads(beside: settings.requests) : 0,
            ),
            service: takesRequests ? engine.service : nil,
            queue: queue.jobs,
            attachments: takesRequests ? AttachmentsRoute(store: engine.store) : nil,
            checkReadiness: {
                try await engine.checkReadiness()
                _ = try await queue.jobs.status()
            },
            remarks: { engine.remarks },
            metrics: {
                if let status = try? await queue.jobs.status() { engine.queueMetrics.set(status) }
                return engine.metrics
            },
            onBusy: { engine.queueMetrics.countBusy() },
            logger: logger,
            observe: { engine.count($0) },
            onListening: { port in logger.notice("attachd listens.", metadata: ["port": "\(port)"]) },
        )
    }
}
