import Base
import Decoding
import Jobs
import Media
import Payloads
import Processing

@testable import Downloads
@testable import HTTPClient

/// One life of a worker: the real service, handler, pipeline, cache, decoder pool and origin limiter on a simulated machine.
///
/// `@unchecked Sendable`: a run has one thread.
final class SimulatedWorker: @unchecked Sendable {
    let machine: Machine
    let checks: WorkerChecks
    let origins: SimulatedOrigins
    let host: DecoderHost
    let decoders: SimulatedDecoders
    let store: SimulatedStore
    let fleet: FleetKnowledge
    private let notifications: NotificationService
    let service: WorkerService
    private(set) var hasEnded = false
    private(set) var isToldToStop = false

    init(_ number: Int, life: Int, in world: World) {
        let plan = world.plan.workers[number]
        let machine = Machine("w\(number).\(life)", clock: plan.clock)
        let time = SimulatedTime(machine: machine, scheduler: world.scheduler)
        let (scheduler, history, faults) = (world.scheduler, world.history, world.faults)
        self.machine = machine
        checks = WorkerChecks(machine, world.verdict, history, scheduler)
        fleet = FleetKnowledge(
            keep: .seconds(86_400),
            time: time,
            recorder: HistoryRecorder<FleetEvent>(machine, history, scheduler) { "\($0)" },
        )
        store = SimulatedStore(ofWorker: number, time, fleet, in: world)
        origins = SimulatedOrigins(
            time,
            faults,
            OriginChecks(world.verdict, scheduler),
            recorder: HistoryRecorder<OriginEvent>(machine, history, scheduler) { "\($0)" },
        )
        host = DecoderHost(scheduler, world.readiness, faults) { [weak world] in
            world?.scheduler.at(scheduler.now) { world?.kill(number, restartAfter: .milliseconds(500)) }
        }
        decoders = SimulatedDecoders(
            plan,
            time,
            host,
            world.verdict,
            recorder: HistoryRecorder<DecoderEvent>(machine, history, scheduler) { "\($0)" },
        )
        let pipeline = AttachmentPipeline(
            steps: .init(downloader: origins, converter: decoders, store: store),
            reuse: ReuseRule(floor: .seconds(3)),
            time: time,
            recorder: HistoryRecorder<ProcessingEvent>(machine, history, scheduler) {
                switch $0 {
                case .attachment(let event): "attachment \(event)"
                case .step, .left: nil
                case .answered(let result): "result \(result.identifier) \(result.outcome) \(result.timings.count)"
                }
            },
            mayReuse: { [fleet] in fleet.isCurrent },
            thread: nil,
        )
        notifications = NotificationService(reader: PayloadReader(), pipeline: pipeline, time: time)
        let jobs = NotificationJobs(service: notifications, beforeJob: { [fleet] in await fleet.catchUp() })
        let seed = world.plan.seed &+ UInt64(life)
        let line = QueueLine(world.server, of: machine, seed: seed)
        let fleetLine = QueueLine(world.server, of: machine, seed: ~seed) { faults.isCutOff(worker: number) }
        let knowledge = ForgetChecks.Knowledge()
        service = WorkerService(
            queue: SimulatedQueue(line: line, time: time, checks: checks, knowledge: knowledge),
            handler: jobs,
            poster: SimulatedCallbacks(time: time, faults: faults, checks: world.queueChecks),
            limits: WorkerLimits(slots: plan.slots, drainTime: .seconds(5), held: 4096),
            time: time,
            recorder: HistoryRecorder<WorkerEvent>(machine, history, scheduler) {
                if case .work = $0 { nil } else { "\($0)" }
            },
            thread: nil,
        )
        fleet.connect(SimulatedFleet(line: fleetLine, knowledge: knowledge)) { [weak self] mark, _ in
            try await self?.apply(mark)
        }
        checks.limitWork(to: plan.slots) { [weak service] in service?.workingCount ?? 0 }
    }

    /// Tells the worker to stop. It is told once.
    func stop(_ scheduler: Scheduler) {
        guard !isToldToStop else { return }
        isToldToStop = true
        scheduler.on(machine) { service.stop() }
    }

    func start(_ scheduler: Scheduler) {
        scheduler.on(machine) {
            _ = Task.detached { [self] in
                decoders.start()
                let learning = Task { try? await fleet.run() }
                await fleet.learn()
                try? await service.run()
                learning.cancel()
                _ = await learning.value
                await decoders.shutDown()
                hasEnded = true
            }
        }
    }
}

// Deletions, as App's `Forgetting` carries them out.
extension SimulatedWorker {
    /// Takes back a source, or a file of it.
    func forget(_ source: String, file: String?) async throws -> (mark: FleetMark, files: Set<String>) {
        var files = Set([file].compactMap(\.self))
        var forgotten: String?
        if file == nil {
            let identity = await notifications.forget(source: source)
            files = store.files(of: identity)
            forgotten = identity
        }
        let taken = try await fleet.takeBack(files, source: forgotten, remove: remove)
        return (taken.first.mark, taken.files)
    }

    /// Takes back what another worker has taken back.
    private func apply(_ mark: FleetMark) async throws {
        if let source = mark.source { notifications.forget(sourceNamed: source) }
        try await remove(Set(mark.files))
    }

    private func remove(_ files: Set<String>) async throws {
        for file in files.sorted() {
            notifications.forget(file: file)
            try await store.forget(file)
        }
    }
}
