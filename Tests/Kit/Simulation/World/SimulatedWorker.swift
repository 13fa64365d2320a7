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
    let service: WorkerService
    private(set) var hasEnded = false
    private var isToldToStop = false

    init(_ number: Int, life: Int, in world: World) {
        let plan = world.plan.workers[number]
        let machine = Machine("w\(number).\(life)", clock: plan.clock)
        let time = SimulatedTime(machine: machine, scheduler: world.scheduler)
        let (scheduler, history, faults) = (world.scheduler, world.history, world.faults)
        self.machine = machine
        checks = WorkerChecks(machine, world.verdict, history, scheduler)
        store = SimulatedStore(ofWorker: number, time, faults, world.files, world.verdict)
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
        )
        let jobs = NotificationJobs(
            service: NotificationService(reader: PayloadReader(), pipeline: pipeline, time: time)
        )
        let line = QueueLine(world.server, of: machine, scheduler, faults, seed: world.plan.seed &+ UInt64(life))
        service = WorkerService(
            queue: SimulatedQueue(line: line, time: time, checks: checks),
            handler: jobs,
            poster: SimulatedCallbacks(time: time, faults: faults, checks: world.queueChecks),
            limits: WorkerLimits(slots: plan.slots, drainTime: .seconds(5), held: 4096),
            time: time,
            recorder: HistoryRecorder<WorkerEvent>(machine, history, scheduler) {
                if case .work = $0 { nil } else { "\($0)" }
            },
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
