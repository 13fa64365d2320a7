package import Settings
import Events
import Files
import Instruments
import Jobs
import JobsRedis
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
    let settings: Settings
    let engine: Engine
    let queue: OpenQueue
    let logger: Logger
    let recentJobs: RecentJobs?
    let holds: AccessHolds
    let webhook: ResponseWebhook?
    let apiToken: Replaceable<Secret<String>>?
    let queueHealth: QueueHealth
    let scaling: QueueScaling
    let fleetFormats: FleetFormats
    let start: QueueStart

    package init(_ settings: Settings, _ engine: Engine, _ queue: OpenQueue, logger: Logger) throws(EngineError) {
        self.settings = settings
        self.engine = engine
        self.queue = queue
        self.logger = logger
        if let redis = queue.redis { engine.fleetIndex?.connect(redis) }
        fleetFormats = FleetFormats(engine.formats, queue.redis, logger: logger)
        start = QueueStart(queue, fleetFormats, logger: logger)
        queueHealth = QueueHealth(queue.jobs) { queue.redis?.problem }
        scaling = QueueScaling(queue.jobs, startTime: settings.workerStart)
        recentJobs = settings.hasPreview ? RecentJobs() : nil
        holds = AccessHolds(store: engine.store)
        apiToken = settings.apiToken.map { Replaceable($0) }
        webhook = try settings.responseWebhook.map { url throws(EngineError) in
            ResponseWebhook(url, settings, signer: MessageSigner(keys: engine.store.keyring))
        }
    }

    /// Runs the services. Without `takesRequests`, work comes only from the queue, and HTTP serves only health and
    /// metrics.
    package func run(takesRequests: Bool) async throws {
        let server = server(takesRequests: takesRequests)
        let worker = settings.hasWorker || !takesRequests ? worker(takesRequests: takesRequests) : nil
        // Services stop in reverse order, but for the worker, which stops at once: its jobs must be back in the queue in time,
        // also where a request takes long.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: StoreSweeper(store: engine.store, time: SystemTime())),
            .init(service: SecretReloader(files, time: SystemTime(), logger: logger)),
            .init(service: fleetFormats),
            .init(service: start),
        ]
        if let worker {
            services.append(.init(service: AfterQueueStart(service: worker, start: start)))
        }
        services += [.init(service: reporting(worker)), .init(service: server)]
        if OrphanReaper.isNeeded { services.insert(.init(service: OrphanReaper(time: SystemTime())), at: 0) }
        if let metrics = server.metricsServer { services.insert(.init(service: metrics), at: 0) }
        if let traces = engine.traces { services.insert(.init(service: traces), at: 0) }
        var configuration = ServiceGroupConfiguration(
            services: services,
            logger: logger,
        )
        configuration.maximumGracefulShutdownDuration = Termination.drainTime
        let group = ServiceGroup(configuration: configuration)
        try Termination.watch { [engine] in
            engine.drain()
            worker?.stop()
            Task { await group.triggerGracefulShutdown() }
        }
        let supervisor = LoopSupervisor(logger: logger)
        supervisor.start()
        var failure: (any Error)?
        do { try await group.run() } catch { failure = error }
        withExtendedLifetime(supervisor) {}
        webhook?.shutDown()
        await queue.shutDown()
        await engine.shutDown()
        if let error = failure as? ListenError { throw EngineError(error) }
        if let failure { throw failure }
    }

    /// The files that are read again while the sidecar runs: secrets, and the configuration file for what is switched off.
    private var files: [SecretReloader.Source] {
        guard let path = settings.configurationFile, let reread = settings.rereadDisabledFormats else { return secrets }
        let formats = SecretReloader.Source(name: "formats.disabled", file: SecretFile(path)) { [engine] _ in
            engine.formats.replace(settings: try reread())
        }
        return secrets + [formats]
    }

    private var secrets: [SecretReloader.Source] {
        let keyring = engine.store.keyring
        let keyFile =
            settings.signingKeyFile
            ?? SecretFile(engine.store.keyFile, isGroupReadable: settings.hasGroupReadableKeys)
        let keys = SecretReloader.Source(name: "signing keys", file: keyFile) { file in
            keyring.replace(with: try SigningKeys(reading: file))
        }
        let sources = settings.sourceSecrets.map { secret in
            SecretReloader.Source(name: secret.name, file: secret.file) { _ in try secret.reload() }
        }
        guard let apiToken, let file = settings.apiTokenFile else { return [keys] + sources }
        let token = SecretReloader.Source(name: "API token", file: file) { file in
            apiToken.replace(with: try APIToken.read(file))
        }
        return [keys, token] + sources
    }
}
