import Base
import Jobs

/// The connection of a worker to the queue: its requests and answers take time, and get lost, come late, or twice.
///
/// `@unchecked Sendable`: a run has one thread.
final class QueueLine: @unchecked Sendable {
    let server: QueueServer
    let machine: Machine
    /// The server's clock, as the worker knows it.
    var clock = RemoteClock()
    /// A Boolean value that indicates whether the server cannot be reached, although it is up.
    private let isCut: () -> Bool
    private let scheduler: Scheduler
    private let faults: Faults
    private var random: SplitMix
    /// The time after which a request without an answer counts as failed.
    private static let timeout = Duration.seconds(2)

    init(_ server: QueueServer, of machine: Machine, seed: UInt64, isCut: @escaping () -> Bool = { false }) {
        self.server = server
        self.machine = machine
        self.isCut = isCut
        (scheduler, faults) = (server.scheduler, server.faults)
        random = SplitMix(seed: seed)
    }

    typealias Answer<Value> = Result<Value, JobQueueError>

    /// Sends a request, and returns the server's answer. `body` runs when the request arrives, and calls its argument when
    /// the answer is known, which may be up to `patience` later.
    func ask<Value: Sendable>(
        waiting patience: Duration = .zero,
        _ body: @escaping @Sendable (QueueServer, @escaping (Value) -> Void) -> Void,
    ) async throws -> Value {
        let call = Call<Value>()
        let fault = faults.queueFault(of: machine)
        let result = await withWaiter { (waiter: Waiter<Answer<Value>>) in
            call.waiter = waiter
            if fault != .requestLost {
                let copies = fault == .twice ? 2 : 1
                for _ in 0..<copies { deliver(call, fault, body) }
            }
            let end = scheduler.now + Self.timeout + patience
            call.timer = (scheduler.at(end) { call.end(.failure(Self.unreachable)) }, end)
        }
        if let timer = call.timer { scheduler.cancel(timer.number, due: timer.due) }
        return try result.get()
    }

    private func deliver<Value>(
        _ call: Call<Value>,
        _ fault: Faults.Queue?,
        _ body: @escaping @Sendable (QueueServer, @escaping (Value) -> Void) -> Void,
    ) {
        scheduler.at(scheduler.now + latency(fault)) { [self] in
            guard faults.isQueueUp, !isCut() else { return }
            body(server) { [self] value in
                guard fault != .answerLost else { return }
                scheduler.at(scheduler.now + latency(fault)) { call.end(.success(value)) }
            }
        }
    }

    private func latency(_ fault: Faults.Queue?) -> Duration {
        let usual = Duration.microseconds(Int.random(in: 50...1000, using: &random))
        guard fault == .late else { return usual }
        return usual + .milliseconds(Int.random(in: 0...1500, using: &random))
    }

    private static let unreachable = JobQueueError(.unavailable, "The simulated queue did not answer.")
}

/// A request on its way.
///
/// `@unchecked Sendable`: a run has one thread.
private final class Call<Value: Sendable>: @unchecked Sendable {
    var waiter: Waiter<QueueLine.Answer<Value>>?
    var timer: (number: UInt64, due: Duration)?

    /// Gives the first answer to the caller, and drops all others.
    func end(_ answer: QueueLine.Answer<Value>) {
        let waiter = waiter
        self.waiter = nil
        waiter?.resume(returning: answer)
    }
}
