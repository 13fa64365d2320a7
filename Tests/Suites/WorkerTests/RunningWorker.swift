import Base
import Jobs
import JobsSQLite
import Media
import Support
import Testing

/// A worker with its own queue, on a clock that stands still until a test moves it.
final class RunningWorker: Sendable {
    let time: TestTime
    let queue: SQLiteJobQueue
    private let folder: TemporaryFolder
    private let service: WorkerService
    private let running: Task<Void, any Error>
    private let seen: RecordedEvents<WorkerEvent>

    /// Starts the worker. `before` fills the queue first; `queue` replaces the queue for the worker.
    init(
        slots: Int = 4,
        limits workerLimits: WorkerLimits? = nil,
        time: TestTime = TestTime(),
        leaseTime: Duration = .seconds(3600),
        handler: ScriptedHandler = ScriptedHandler(),
        poster: (any CallbackPoster)? = nil,
        waitingForDecoders: @escaping @Sendable () -> Int = { 0 },
        before: (SQLiteJobQueue) async throws -> Void = { _ in },
        queue unreliable: (SQLiteJobQueue) -> any JobQueue = { $0 },
    ) async throws {
        let (folder, seen) = (try TemporaryFolder(), RecordedEvents<WorkerEvent>())
        let limits = QueueLimits(leaseTime: leaseTime, replyTime: .seconds(3600))
        let queue = try await SQLiteJobQueue.open(folder.path + "/queue.sqlite", limits: limits, time: time)
        try await before(queue)
        let service = WorkerService(
            queue: unreliable(queue),
            handler: handler,
            poster: poster,
            limits: workerLimits ?? WorkerLimits(slots: slots),
            time: time,
            recorder: seen,
            waitingForDecoders: waitingForDecoders,
        )
        (self.folder, self.time, self.queue, self.seen, self.service) = (folder, time, queue, seen, service)
        running = Task { try await service.run() }
    }

    /// All events so far, without those of activities.
    var events: [WorkerEvent] { seen.events.filter { if case .work = $0 { false } else { true } } }

    func tellToStop() { service.stop() }

    /// Waits until the worker has stopped.
    func hasStopped() async throws { try await running.value }

    func stop() async throws {
        tellToStop()
        try await hasStopped()
        await queue.close()
    }

    func enqueue(_ id: String, within timeLimit: Duration = .seconds(30), callback: String? = nil) async throws {
        let job = Job(
            id: id,
            timeLimit: timeLimit,
            content: [1, 2, 3],
            answer: Job.Answer(callback: callback),
            trace: TraceContext(parent: "00-1-2-01", state: "a=1"),
        )
        #expect(try await queue.enqueue(job) == .accepted)
    }

    /// Waits for the answer to a job. The stopped clock doesn't limit the wait.
    func answer(to id: String) async throws -> JobReply? {
        guard case .finished(let reply) = try await queue.state(of: JobName(id: id), waiting: .seconds(100_000)) else {
            return nil
        }
        return reply
    }

    /// Moves the clock in steps until `look` returns a value.
    func advance(by step: Duration, until look: () async throws -> Bool) async throws {
        try await eventually {
            if try await look() { return true }
            time.advance(by: step)
            try await SystemTime().sleep(for: .milliseconds(5))
            return false
        }
    }
}
