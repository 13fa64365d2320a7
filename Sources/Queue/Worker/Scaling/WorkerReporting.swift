package import Jobs
import ServiceLifecycle
package import Timing

/// A service that tells the queue every few seconds that this worker lives, and what it can do, and looks after the
/// number of workers, so that the rate of arrivals is known when somebody asks.
package struct WorkerReporting: Service {
    private let queue: any JobQueue
    private let report: (@Sendable () -> WorkerReport)?
    private let scaler: FleetScaler
    private let onAnswer: @Sendable (ScalingAnswer) -> Void
    private let time: any TimeSource

    private static let interval = Duration.seconds(3)

    /// Creates the service. Without `report`, this process has no worker, and only looks. `onAnswer` receives what was
    /// seen.
    package init(
        queue: any JobQueue,
        report: (@Sendable () -> WorkerReport)?,
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
                if let report { try? await queue.report(report()) }
                if let answer = try? await scaler.answer() { onAnswer(answer) }
                try? await time.sleep(for: Self.interval)
            }
        }
    }
}
