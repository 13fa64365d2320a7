import Base
import Jobs
import Payloads

/// A run's machines, and everything between and around them.
///
/// `@unchecked Sendable`: a run has one thread.
final class World: @unchecked Sendable {
    let plan: Plan
    let scheduler: Scheduler
    let history = History()
    let verdict: Verdict
    let faults: Faults
    let files = FileTable()
    let readiness = SimulatedReadiness()
    let queueChecks: QueueChecks
    let forgets: ForgetChecks
    let server: QueueServer
    private(set) var workers: [Int: SimulatedWorker] = [:]
    /// A Boolean value that indicates whether a worker was killed, with all that it had.
    private(set) var hasKilled = false
    private var isEnding = false
    private var lives = 0
    private var disks: [Int: SimulatedDisk] = [:]
    /// The workers whose next lives are told to stop as soon as they begin.
    private var earlyStops: Set<Int> = []
    private let outside = Machine("outside")

    init(_ plan: Plan) {
        self.plan = plan
        scheduler = Scheduler(seed: plan.seed, outside: outside)
        verdict = Verdict(history, scheduler)
        faults = Faults(plan.faults, scheduler)
        let replies = ReplyChecks(verdict, files)
        queueChecks = QueueChecks(verdict, history, scheduler, faults, replies)
        forgets = ForgetChecks(verdict, scheduler, faults, files)
        scheduler.onIdle = readiness.look
        server = QueueServer(
            limits: QueueLimits(),
            scheduler: scheduler,
            faults: faults,
            checks: queueChecks,
            forgets: forgets,
        )
        queueChecks.attempt = { [unowned self] name in
            server.state.callbacks.values.first { $0.name == name }?.attempt
        }
    }

    /// The time at which all faults are over and all jobs must have their answers.
    var end: Duration {
        let last = plan.tasks.map { $0.at + ($0.again ?? .zero) + $0.timeLimit }.max() ?? .zero
        return ([last] + plan.faults.map(\.end) + plan.forgets.map(\.at)).max() ?? last
    }

    /// Starts the workers, and plans everything that happens from outside.
    func begin() {
        for number in plan.workers.indices { startWorker(number) }
        for task in plan.tasks { schedule(task) }
        for fault in plan.faults { schedule(fault) }
        for forget in plan.forgets { scheduler.at(forget.at) { [self] in ask(for: forget) } }
    }

    /// Ends all workers, as at the end of a day.
    func stopWorkers() {
        isEnding = true
        for worker in workers.values { worker.stop(scheduler) }
    }

    /// Lets go of the workers, so that nothing but their own tasks can hold them.
    func releaseWorkers() -> [SimulatedWorker] {
        defer { workers = [:] }
        return workers.sorted { $0.key < $1.key }.map(\.value)
    }

    private func startWorker(_ number: Int) {
        guard workers[number] == nil, !isEnding else { return }
        lives += 1
        let worker = scheduler.on(outside) { SimulatedWorker(number, life: lives, in: self) }
        workers[number] = worker
        log("\(worker.machine.name) starts")
        worker.start(scheduler)
        if earlyStops.remove(number) != nil { drain(number, restartAfter: .milliseconds(500)) }
    }

    @Sendable
    func log(_ text: String) { history.add(scheduler.now, "world", text) }

    func schedule(_ task: Plan.Task) {
        let job = task.job
        let enqueue: () -> Void = { [self] in log("enqueues \(job.id): \(server.enqueue(job).summary)") }
        scheduler.at(task.at, enqueue)
        if let again = task.again { scheduler.at(task.at + again, enqueue) }
        if let cancelled = task.cancelled {
            scheduler.at(task.at + cancelled) { [self] in log("cancels \(job.name.id): \(server.cancel(job.name))") }
        }
    }

    private func schedule(_ fault: Fault) {
        scheduler.at(fault.start) { [self] in
            log("\(fault.kind) for \(fault.length)")
            switch fault.kind {
            case .killed(let number, let losesPower): kill(number, losesPower: losesPower, restartAfter: fault.length)
            case .stopped(let number): stand(number, for: fault.length)
            case .drained(let number): drain(number, restartAfter: fault.length)
            case .drainedTwice(let number):
                earlyStops.insert(number)
                drain(number, restartAfter: fault.length)
            default: break
            }
        }
    }

    /// Returns the disk of a worker that starts: an empty one, or that of its former life.
    func disk(ofWorker number: Int) -> SimulatedDisk {
        if let disk = disks[number], Bool.random() { return disk }
        let disk = SimulatedDisk()
        disks[number] = disk
        return disk
    }

    /// Asks a worker for a deletion, until one has answered.
    private func ask(for forget: Plan.Forget) {
        let live = workers.sorted { $0.key < $1.key }.map(\.value)
            .filter { $0.machine.state == .running && !$0.isToldToStop }
        guard !isEnding, let worker = live.randomElement() else { return }
        let (source, name) = (forget.source.url, worker.machine.name)
        let file = forget.namesFile ? files.contents(of: source).randomElement() : nil
        log("asks \(name) to forget \(file ?? source)")
        let answer = OneShot<Void>()
        forgets.begins { answer.current != nil || worker.machine.state == .dead }
        scheduler.on(worker.machine) {
            _ = Task.detached { [self] in
                do {
                    let (mark, files) = try await worker.forget(source, file: file)
                    answer.set()
                    log("\(name) has forgotten \(source): \(files.sorted())")
                    forgets.answered(mark, files, by: Array(workers.values))
                } catch {
                    log("\(name) cannot forget \(source): \(error)")
                    scheduler.at(scheduler.now + .milliseconds(500)) { [self] in ask(for: forget) }
                }
            }
        }
    }

    /// Kills a worker's process. Another one starts later.
    func kill(_ number: Int, losesPower: Bool = false, restartAfter pause: Duration) {
        guard let worker = workers.removeValue(forKey: number) else { return }
        log("\(worker.machine.name) dies")
        worker.machine.die()
        worker.host.end()
        hasKilled = true
        if !losesPower { server.forget(worker.machine) }
        faults.addDisturbance(until: scheduler.now + pause)
        scheduler.at(scheduler.now + pause) { [self] in startWorker(number) }
    }

    private func stand(_ number: Int, for length: Duration) {
        guard let worker = workers[number] else { return }
        worker.machine.stop()
        scheduler.at(scheduler.now + length) { [self] in
            log("\(worker.machine.name) goes on")
            worker.checks.stood()
            scheduler.goOn(worker.machine)
        }
    }

    /// Tells a worker to stop. Another one takes its place when it has.
    private func drain(_ number: Int, restartAfter pause: Duration) {
        guard let worker = workers[number] else { return }
        worker.stop(scheduler)
        awaitEnd(of: number, worker, pause)
    }

    private func awaitEnd(of number: Int, _ worker: SimulatedWorker, _ pause: Duration) {
        scheduler.at(scheduler.now + pause) { [self] in
            guard workers[number] === worker else { return }
            faults.addDisturbance(until: scheduler.now + .milliseconds(100))
            guard worker.hasEnded else { return awaitEnd(of: number, worker, .milliseconds(100)) }
            let (name, left) = (worker.machine.name, worker.checks.heldCount)
            verdict.require(left == 0, .nothingLeft, "\(name) was told to stop, and ended with \(left) jobs")
            workers[number] = nil
            startWorker(number)
        }
    }
}

extension Plan.Task {
    var job: Job {
        let payload =
            #"{"aps":{"alert":{"title":"T \#(id)","body":"ü"},"mutable-content":1,"badge":1.50},"#
            + #""my-attachment":"\#(source.url)","order":9007199254740993,"nested":{"x":[1,null,{"y":"\#(id)"}]}}"#
        let name = profile.map { #","profile":"\#($0)""# } ?? ""
        let content = #"{"id":"\#(id)","payload":\#(payload)\#(name)}"#
        return Job(
            id: id,
            tenant: tenant,
            priority: priority,
            timeLimit: timeLimit,
            content: Array(content.utf8),
            answer: Job.Answer(callback: hasCallback ? "https://producer.example/\(id)" : nil),
        )
    }
}

extension Enqueued {
    fileprivate var summary: String {
        if case .finished(let reply) = self { "finished \(reply.status)" } else { "\(self)" }
    }
}
