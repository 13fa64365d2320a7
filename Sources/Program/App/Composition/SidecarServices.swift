import Base
import Decoding
import Files
package import Jobs
package import Logging
import Media
import Observability
import Preview
import Processing
import ServiceLifecycle
package import Settings
import Sidecar
import Storage

/// The services of the sidecar and its queue's worker. They run until they are told to stop, and then finish the work
/// under way.
package struct SidecarServices: Sendable {
    let settings: Settings
    let engine: Engine
    let queue: any JobQueue
    let logger: Logger
    let recentJobs: RecentJobs?
    let holds: AccessHolds
    let webhook: ResponseWebhook?
    let apiToken: Replaceable<Secret<String>>?
    let queueHealth: QueueHealth
    let scaling: QueueScaling
    let fleetFormats: FleetFormats
    let fleetKeys: FleetKeys
    let start: QueueStart

    package init(_ settings: Settings, _ engine: Engine, _ queue: any JobQueue, logger: Logger) throws(EngineError) {
        self.settings = settings
        self.engine = engine
        self.queue = queue
        self.logger = logger
        if let fleet = queue.fleet {
            engine.fleetIndex?.connect(fleet)
            let forgetting = Forgetting(engine)
            engine.fleet?.connect(fleet) { try await forgetting.apply($0, isAtStart: $1, by: engine.service) }
        }
        fleetFormats = FleetFormats(engine.formats, queue.fleet, logger: logger)
        fleetKeys = FleetKeys(engine.store.keyring, queue.fleet, logger: logger)
        let keys = settings.isStrict ? fleetKeys : nil
        start = QueueStart(queue, fleetFormats, engine.fleet, insistingOn: keys, logger: logger)
        queueHealth = QueueHealth(queue)
        scaling = QueueScaling(queue, startTime: settings.workerStart)
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
        var services: [ServiceGroupConfiguration.ServiceConfiguration] =
            [
                .init(service: StoreSweeper(store: engine.store, downloader: engine.downloader, time: SystemTime())),
                .init(service: SecretReloader(files, time: SystemTime(), logger: logger)),
                .init(service: fleetFormats), .init(service: fleetKeys),
            ] + [engine.fleet].compactMap { $0.map { .init(service: $0) } } + [
                .init(service: start)
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
        let drain = takesRequests ? settings.drainTime : .zero
        let rest = Termination.grace - drain
        configuration.maximumGracefulShutdownDuration = rest
        let group = ServiceGroup(configuration: configuration)
        try Termination.watch(drain: drain) {
            worker?.stop()
            server.drain(within: Termination.grace)
        } onEnd: { [engine] in
            engine.drain(within: takesRequests ? rest - Termination.lastTime : Termination.downloadTime)
            Task { await group.triggerGracefulShutdown() }
        }
        let supervisor = LoopSupervisor(logger: logger)
        supervisor.start()
        var failure: (any Error)?
        do {
            try await group.run()
        } catch is CancellationError {
            let reason = "attachd stopped before all work was done: some requests have no answer."
            failure = EngineError(isStore: false, description: reason)
        } catch {
            failure = error
        }
        withExtendedLifetime(supervisor) {}
        webhook?.shutDown()
        await queue.shutDown()
        await engine.shutDown()
        if let error = failure as? ListenError { throw EngineError(error) }
        if let failure { throw failure }
    }

    /// The files that are read again while the sidecar runs: secrets, and the configuration file for what is switched off.
    private var files: [SecretReloader.Source] {
        guard let path = settings.configurationFile else { return secrets }
        let reread = settings.rereadDisabledFormats
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

// MARK: - Parts

/// The worker of the queue, and the server of HTTP with its routes.
extension SidecarServices {
    func worker(takesRequests: Bool) -> WorkerService {
        let recent = takesRequests ? recentJobs : nil
        let jobs = NotificationJobs(
            service: engine.service,
            onJob: { recent?.note(.init(id: $0.id, content: $0.content)) },
            beforeJob: { [fleet = engine.fleet] in await fleet?.catchUp() },
        )
        return WorkerService(
            queue: queue,
            handler: jobs,
            poster: engine.callbacks,
            // The worker leases more jobs than it processes, so that it also answers those without a chance.
            limits: WorkerLimits(
                slots: settings.jobSlots,
                drainTime: Termination.jobDrainTime,
                held: 4096,
                decoders: settings.decoders,
                tenants: settings.tenantLines,
            ),
            recorder: engine.observers.workers,
            onDemand: { engine.setDemand($0) },
            waitingForDecoders: { [decoders = engine.decoders] in decoders.status.waiting },
            cost: engine.cost,
        )
    }

    /// Returns the service that reports `worker` to the queue, if there is one, and keeps the arrival rate up to date.
    func reporting(_ worker: WorkerService?) -> WorkerReporting {
        guard let worker else { return WorkerReporting(queue: queue, report: nil, scaler: scaling.scaler) }
        let (slots, cost) = (settings.jobSlots, engine.cost)
        let report: @Sendable () -> WorkerReport? = {
            // It has left the queue, and must not come back.
            guard !worker.isDraining else { return nil }
            return WorkerReport(slots: slots, running: worker.workingCount, jobsPerSecond: cost.jobsPerSecond)
        }
        return WorkerReporting(queue: queue, report: report, scaler: scaling.scaler) { answer in
            worker.fleetHas(answer.load.workers.count)
        }
    }

    private var warnings: Set<QueueWarning> { queue.warnings.union(fleetKeys.warnings) }

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
                let dead = (try? await queue.deadLetters(20)) ?? []
                return (recentJobs?.entries ?? []) + dead.map { .init(id: $0.job.id, content: $0.job.content) }
            },
        )
    }

    private var attachmentsRoute: AttachmentsRoute {
        let forgetting = Forgetting(engine)
        return AttachmentsRoute(
            store: engine.store,
            holds: holds,
            mayServe: { [fleet = engine.fleet] in fleet?.mayServe($0.description) ?? true },
            forget: { try await forgetting.forget($0) },
            handover: settings.handover,
        )
    }

    func server(takesRequests: Bool) -> SidecarServer {
        var configuration = SidecarServer.Configuration()
        configuration.version = Version.number
        configuration.commit = Version.commit
        (configuration.host, configuration.port) = (settings.host, settings.port)
        configuration.metricsAddress = settings.metricsAddress
        configuration.apiToken = apiToken
        configuration.requestLimit = settings.requests
        configuration.tenantShares = TenantShares(
            of: settings.requests,
            percentage: settings.tenantShare,
            listed: settings.tenants.mapValues(\.share),
        )
        configuration.downloadLimit = takesRequests ? OpenFiles.downloads(beside: settings.requests) : 0
        return SidecarServer(
            configuration: configuration,
            service: takesRequests ? engine.service : nil,
            queue: queue,
            attachments: takesRequests ? attachmentsRoute : nil,
            preview: takesRequests && settings.hasPreview ? preview : nil,
            responses: takesRequests ? ResponsesRoute(categories: settings.categories, webhook: webhook) : nil,
            formats: takesRequests
                ? FormatsRoute(
                    lists: { [engine] in engine.formats.lists },
                    replace: { try await fleetFormats.replace(with: $0) }
                )
                : nil,
            whenStarted: { [start] in await start.whenFormatsAreKnown() },
            checkReadiness: {
                if let problem = start.problem { throw problem }
                try await engine.checkReadiness()
                // The sidecar answers requests even without its queue. A worker has no other work.
                if !takesRequests, let problem = await queueHealth.problem { throw problem }
            },
            remarks: {
                let problem = await queueHealth.problem?.description
                let warnings = warnings.map(\.description).sorted()
                return engine.remarks + warnings + [problem].compactMap(\.self)
            },
            metrics: {
                engine.observers.workers.set(warnings)
                engine.observers.workers.set(await queueHealth.status)
                engine.observers.workers.set(await scaling.recent)
                return engine.metricsText
            },
            callbackRefusal: { engine.refusal(ofCallback: $0) },
            scale: { try await scaling.json },
            logger: logger,
            recorder: engine.observers.requests,
        )
    }
}
