package import Base
import ServiceLifecycle
import Synchronization

/// A service that reports to the queue every few seconds that this worker runs and what it can do. It also updates the
/// number of needed workers, so that the rate of arrivals is known when a client asks.
package struct WorkerReporting: Service {
    private let queue: any JobQueue
    private let report: (@Sendable () -> WorkerReport?)?
    private let scaler: FleetScaler
    private let onAnswer: @Sendable (ScalingAnswer) -> Void
    private let time: any TimeSource

    private static let interval = Duration.seconds(3)

    /// Creates the service. Without `report`, this process has no worker and only reads the queue's state. `onAnswer`
    /// receives that state.
    package init(
        queue: any JobQueue,
        report: (@Sendable () -> WorkerReport?)?,
        scaler: FleetScaler,
        time: any TimeSource = SystemTime(),
        onAnswer: @escaping @Sendable (ScalingAnswer) -> Void = { _ in },
    ) {
        self.queue = queue
        self.report = report
        self.scaler = scaler
        self.onAnswer = onAnswer
        self.time = time
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // If the queue does not answer, the worker logs it.
                if let report = report?() { try? await queue.report(report) }
                if let answer = try? await scaler.answer() { onAnswer(answer) }
                try? await time.sleep(for: Self.interval)
            }
        }
    }
}

// MARK: - Costs

/// The cost of this worker's jobs, learnt from those before, and the rate of jobs that follows from it.
///
/// A worker is limited by its slots, which jobs hold from start to answer, and by the processor time of its decoders.
package final class JobCost: Sendable {
    private struct State {
        /// The time that a job holds its slot, in seconds.
        var slotTime: Double?
        /// The processor time in decoders of a notification, in seconds.
        var decodingTime: Double?
        /// The processor time and the notifications since the last estimate.
        var decoded = 0.0
        var notifications = 0
    }

    /// The weight of one job in the estimate of the slot time.
    private static let weight = 0.05
    /// The number of notifications after which the processor time is estimated anew.
    private static let group = 20

    private let state = Mutex(State())
    private let slots: Int
    private let decoders: Int

    package init(slots: Int, decoders: Int) {
        self.slots = slots
        self.decoders = decoders
    }

    /// Records that a job was worked on for `duration`.
    package func worked(for duration: Duration) {
        let seconds = duration / .seconds(1)
        state.withLock { state in
            state.slotTime = state.slotTime.map { $0 + (seconds - $0) * Self.weight } ?? seconds
        }
    }

    /// Records processor time of a decoder process.
    package func decoded(for duration: Duration) {
        state.withLock { $0.decoded += duration / .seconds(1) }
    }

    /// Records a finished notification, from the queue or over HTTP.
    package func answered() {
        state.withLock { state in
            state.notifications += 1
            guard state.notifications >= Self.group else { return }
            let new = state.decoded / Double(state.notifications)
            state.decodingTime = state.decodingTime.map { $0 + (new - $0) / 4 } ?? new
            (state.decoded, state.notifications) = (0, 0)
        }
    }

    /// The number of jobs that the worker finishes in a second with all slots in use, or `nil` before its first job.
    package var jobsPerSecond: Double? {
        state.withLock { state in
            guard let slotTime = state.slotTime else { return nil }
            let bySlots = Double(slots) / max(slotTime, 0.001)
            let byDecoders = state.decodingTime.map { Double(decoders) / max($0, 0.0001) } ?? .infinity
            let range = WorkerReport.sensibleRates
            return min(max(min(bySlots, byDecoders), range.lowerBound), range.upperBound)
        }
    }
}
