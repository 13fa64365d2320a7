@testable import Downloads
@testable import HTTPClient
import Decoding
import Events
import Media
import Payloads
import Processing
import Timing
import Worker

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
    let service: WorkerService
    private(set) var hasEnded = false
    private var isToldToStop = false

    init(_ number: Int, life: Int, in world: World) {
        let plan = world.plan.workers[number]
        let machine = Machine("w\(number).\(life)", clock: plan.clock)
        let mutant = world.plan.mutant
        let time = SimulatedTime(machine: machine, scheduler: world.scheduler, mutant: mutant)
        let (scheduler, history, faults) = (world.scheduler, world.history, world.faults)
        self.machine = machine
        checks = WorkerChecks(machine, world.verdict, history, scheduler)
        store = SimulatedStore(ofWorker: number, time, faults, world.files, world.verdict, mutant)
        origins = SimulatedOrigins(
            time,
            faults,
            OriginChecks(world.verdict, scheduler),
            mutant,
            instrument: HistoryInstrument<OriginEvent>(machine, history, scheduler, world.coverage) { "\($0)" },
        )
        host = DecoderHost(scheduler, world.readiness, faults, mutant) { [weak world] in
            world?.scheduler.at(scheduler.now) { world?.kill(number, restartAfter: .milliseconds(500)) }
        }
        decoders = SimulatedDecoders(
            plan,
            time,
            host,
            world.verdict,
            instrument: HistoryInstrument<DecoderEvent>(machine, history, scheduler, world.coverage) { "\($0)" },
        )
        let pipeline = AttachmentPipeline(
            steps: .init(downloader: origins, converter: decoders, store: store),
            reuse: ReuseRule(floor: .seconds(3)),
            time: time,
            instrument: HistoryInstrument<ProcessingEvent>(machine, history, scheduler, world.coverage) {
                switch $0 {
                case .attachment(let event): "attachment \(event)"
                case .answered(let result): "result \(result.identifier) \(result.outcome) \(result.timings.count)"
                }
            },
        )
        let jobs = NotificationJobs(
            service: NotificationService(reader: PayloadReader(), pipeline: pipeline, time: time)
        )
        service = WorkerService(
            queue: world.queue.view(of: machine, time, checks, seed: world.plan.seed &+ UInt64(life)),
            handler: mutant == nil ? jobs : MutantHandler(jobs: jobs, store: store, mutant: mutant),
            poster: SimulatedCallbacks(time: time, faults: faults, checks: world.queueChecks),
            limits: WorkerLimits(slots: plan.slots, drainTime: .seconds(5), held: 4096),
            time: time,
            instrument: HistoryInstrument<WorkerEvent>(machine, history, scheduler, world.coverage) { "\($0)" },
            thread: nil,
        )
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
                try? await service.run()
                await decoders.shutDown()
                hasEnded = true
            }
        }
    }
}
