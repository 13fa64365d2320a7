package import Settings
import Events
import Files
import Instruments
import Jobs
package import Logging
import Media
import Preview
import Processing
import ServiceLifecycle
import Sidecar
import Storage
import Timing
import Values
import Worker

/// The services of the sidecar and its queue's worker. They run until they are told to stop, and then finish the work
/// under way.
package struct SidecarServices: Sendable {
    private let settings: Settings
    private let engine: Engine
    private let queue: OpenQueue
    private let logger: Logger
    private let recentJobs: RecentJobs?
    private let holds: AccessHolds
    private let webhook: ResponseWebhook?
    private let apiToken: Replaceable<Secret<String>>?
    private let queueHealth: QueueHealth

    package init(_ settings: Settings, _ engine: Engine, _ queue: OpenQueue, logger: Logger) throws(EngineError) {
        self.settings = settings
        self.engine = engine
        self.queue = queue
        self.logger = logger
        queueHealth = QueueHealth(queue.jobs)
        recentJobs = settings.hasPreview ? RecentJobs() : nil
        holds = AccessHolds(store: engine.store)
        apiToken = settings.apiToken.map { Replaceable($0) }
        webhook = try settings.responseWebhook.map { url throws(EngineError) in
            try ResponseWebhook(url, settings, signer: MessageSigner(keys: engine.store.keyring))
        }
    }

    /// Runs the services. Without `takesRequests`, work comes only from the queue, and HTTP serves only health and
    /// metrics.
    package func run(takesRequests: Bool) async throws {
        var configuration = ServiceGroupConfiguration(
            // Services stop in reverse order: accepted requests may still enqueue jobs.
            services: [
                .init(service: StoreSweeper(store: engine.store, time: SystemTime())),
                .init(service: SecretReloader(secrets, time: SystemTime(), logger: logger)),
                .init(service: worker(takesRequests: takesRequests)),
                .init(service: server(takesRequests: takesRequests)),
            ],
            logger: logger,
        )
        configuration.maximumGracefulShutdownDuration = Termination.drainTime
        let group = ServiceGroup(configuration: configuration)
        try Termination.watch { Task { await group.triggerGracefulShutdown() } }
        let supervisor = LoopSupervisor(logger: logger)
        supervisor.start()
        try await group.run()
        withExtendedLifetime(supervisor) {}
        webhook?.shutDown()
        await queue.shutDown()
        await engine.shutDown()
    }

    /// The secret files that are read again while the sidecar runs.
    private var secrets: [SecretReloader.Source] {
        let keyring = engine.store.keyring
        let keyFile =
            settings.signingKeyFile
            ?? SecretFile(engine.store.keyFile, isGroupReadable: settings.hasGroupReadableKeys)
        let keys = SecretReloader.Source(name: "signing keys", file: keyFile) { file in
            keyring.replace(with: try SigningKeys(reading: file))
        }
        guard let apiToken, let file = settings.apiTokenFile else { return [keys] }
        let token = SecretReloader.Source(name: "API token", file: file) { file in
            apiToken.replace(with: try APIToken.read(file))
        }
        return [keys, token]
    }

    private func worker(takesRequests: Bool) -> WorkerService {
        WorkerService(
            queue: queue.jobs,
            handler: NotificationJobs(service: engine.service, recent: takesRequests ? recentJobs : nil),
            poster: engine.callbacks,
            // Most jobs wait for their downloads, and decoding has its own limit. The worker leases more jobs than it
            // processes, so that it also answers those without a chance.
            limits: WorkerLimits(
                slots: settings.decoders * 32,
                drainTime: Termination.jobDrainTime,
                held: 4096,
            ),
            instrument: InstrumentGroup<WorkerEvent>(engine.metrics.queue, WorkerLog(logger)),
            onDemand: { engine.setDemand($0) },
        )
    }

    private var preview: PreviewRoutes {
        PreviewRoutes(
            choices: .init(
                profiles: settings.profiles.map(\.name),
                deadline: DurationText.text(settings.deadline),
                needsToken: settings.apiToken != nil,
                hasWebhook: webhook != nil,
            ),
            categories: settings.categories,
            store: engine.store,
            holds: holds,
            jobs: {
                let dead = (try? await queue.jobs.deadLetters(20)) ?? []
                return (recentJobs?.entries ?? []) + dead.map { .init(id: $0.job.id, content: $0.job.content) }
            },
        )
    }

    private var attachmentsRoute: AttachmentsRoute {
        let forgetting = Forgetting(engine)
        return AttachmentsRoute(store: engine.store, holds: holds) { try await forgetting.forget($0) }
    }

    private func server(takesRequests: Bool) -> SidecarServer {
        SidecarServer(
            configuration: .init(
                host: settings.host,
                port: settings.port,
                apiToken: apiToken,
                requestLimit: settings.requests,
                downloadLimit: takesRequests ? OpenFiles.downloads(beside: settings.requests) : 0,
            ),
            service: takesRequests ? engine.service : nil,
            queue: queue.jobs,
            attachments: takesRequests ? attachmentsRoute : nil,
            preview: takesRequests && settings.hasPreview ? preview : nil,
            responses: takesRequests ? ResponsesRoute(categories: settings.categories, webhook: webhook) : nil,
            checkReadiness: {
                try await engine.checkReadiness()
                // The sidecar answers requests even without its queue. A worker has no other work.
                if !takesRequests, let problem = await queueHealth.problem { throw problem }
            },
            remarks: {
                let problem = await queueHealth.problem?.description
                let troubles = queue.jobs.troubles.map(\.description).sorted()
                return engine.remarks + troubles + [problem].compactMap(\.self)
            },
            metrics: {
                engine.metrics.queue.set(queue.jobs.troubles)
                engine.metrics.queue.set(await queueHealth.status)
                return engine.metricsText
            },
            callbackRefusal: { engine.refusal(ofCallback: $0) },
            logger: logger,
            instrument: InstrumentGroup<SidecarEvent>(engine.metrics.requests, RequestLog(logger)),
        )
    }
}
