import Jobs
import Timing

@testable import Simulation

/// One of the product's queues, with threads of its own, as the queue of a run.
///
/// `@unchecked Sendable`: a run has one thread.
final class RealFleetQueue: FleetQueue, @unchecked Sendable {
    /// Opens the queue for one worker or for the producers. All may have the same one.
    private let open: () -> any JobQueue
    private let producer: any JobQueue
    private let producers = Machine("producers")
    private unowned let world: World
    private let ledger: Ledger

    init(_ world: World, leaseTime: Duration, open: @escaping () -> any JobQueue) {
        self.world = world
        self.open = open
        producer = open()
        ledger = Ledger(world, leaseTime: leaseTime)
    }

    func view(of machine: Machine, _ time: SimulatedTime, _ checks: WorkerChecks, seed: UInt64) -> any JobQueue {
        RecordedQueue(
            real: open(),
            machine: machine,
            time: time,
            faults: world.faults,
            checks: checks,
            ledger: ledger,
        )
    }

    func produce(_ job: Job, _ log: @escaping @Sendable (String) -> Void) {
        ledger.produces(job)
        begin { [self] in
            let outcome = try await producer.enqueue(job)
            ledger.produced(job, outcome)
            log("enqueues \(job.id): \(outcome.summary)")
        }
    }

    func withdraw(_ name: JobName, _ log: @escaping @Sendable (String) -> Void) {
        begin { [self] in
            let outcome = try await producer.cancel(name)
            if outcome == .cancelled, case .finished(let reply) = try await producer.state(of: name, waiting: .zero) {
                world.queueChecks.cancelled(name, reply)
            }
            log("cancels \(name.id): \(outcome)")
        }
    }

    /// Asks the queue for its numbers, and calls `body` with them.
    func status(_ body: @escaping @Sendable (QueueStatus) -> Void) {
        begin { [self] in body(try await producer.status()) }
    }

    func forget(_ client: Machine) {}

    private func begin(_ call: @escaping @Sendable () async throws -> Void) {
        world.scheduler.on(producers) {
            _ = Task.detached { [self] in
                do { try await call() } catch { world.verdict.breaks(.ends, "the queue failed: \(error)") }
            }
        }
    }
}
