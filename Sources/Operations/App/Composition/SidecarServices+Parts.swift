import Decoding
import Events
import Instruments
import Jobs
import Media
import Preview
import Processing
import Settings
import Sidecar
import Storage
import Timing
import Tracing
import Worker

/// The worker of the queue, and the server of HTTP with its routes.
extension SidecarServices {
    func worker(takesRequests: Bool) -> WorkerService {
        let recent = takesRequests ? recentJobs : nil
        let jobs = NotificationJobs(service: engine.service) { recent?.note(.init(id: $0.id, content: $0.content)) }
        return WorkerService(
            queue: queue.jobs,
            handler: engine.traces.map { TracedJobs(jobs, $0.tracer) } ?? jobs,
            poster: engine.callbacks,
            // The worker leases more jobs than it processes, so that it also answers those without a chance.
            limits: WorkerLimits(
                slots: settings.jobSlots,
                drainTime: Termination.jobDrainTime,
                held: 4096,
                decoders: settings.decoders,
                tenants: settings.tenantLines,
            ),
            instrument: InstrumentGroup<WorkerEvent>(engine.metrics.queue, WorkerLog(engine.warnings)),
            onDemand: { engine.setDemand($0) },
            waitingForDecoders: { [decoders = engine.decoders] in decoders.status.waiting },
            cost: engine.cost,
        )
    }

    /// Returns the service that reports `worker` to the queue, if there is one, and keeps the arrival rate up to date.
    func reporting(_ worker: WorkerService?) -> WorkerReporting {
        guard let worker else { return WorkerReporting(queue: queue.jobs, report: nil, scaler: scaling.scaler) }
        let (slots, cost) = (settings.jobSlots, engine.cost)
        let report: @Sendable () -> WorkerReport = {
            WorkerReport(slots: slots, running: worker.workingCount, jobsPerSecond: cost.jobsPerSecond)
        }
        return WorkerReporting(queue: queue.jobs, report: report, scaler: scaling.scaler) { answer in
            worker.fleetHas(answer.load.workers.count)
        }
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

    func server(takesRequests: Bool) -> SidecarServer {
        SidecarServer(
            configuration: .init(
                version: Version.number,
                commit: Version.commit,
                host: settings.host,
                port: settings.port,
                metricsAddress: settings.metricsAddress,
                apiToken: apiToken,
                requestLimit: settings.requests,
                tenantShares: TenantShares(
                    of: settings.requests,
                    percentage: settings.tenantShare,
                    listed: settings.tenants.mapValues(\.share),
                ),
                downloadLimit: takesRequests ? OpenFiles.downloads(beside: settings.requests) : 0,
            ),
            service: takesRequests ? engine.service : nil,
            queue: queue.jobs,
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
                let warnings = queue.jobs.warnings.map(\.description).sorted()
                return engine.remarks + warnings + [problem].compactMap(\.self)
            },
            metrics: {
                engine.metrics.queue.set(queue.jobs.warnings)
                engine.metrics.queue.set(await queueHealth.status)
                engine.metrics.queue.set(await scaling.recent)
                return engine.metricsText
            },
            callbackRefusal: { engine.refusal(ofCallback: $0) },
            scale: { try await scaling.json },
            tracer: engine.traces?.tracer ?? NoOpTracer(),
            logger: logger,
            instrument: InstrumentGroup<SidecarEvent>(engine.metrics.requests, RequestLog(logger)),
        )
    }
}
