package import Jobs
import Synchronization
import Timing

/// What the processes of a fleet share, which for a file is in this one process.
final class SharedScaling: Sendable {
    struct State {
        var report: (WorkerReport, until: Instant)?
        var scaling: String?
    }

    let state = Mutex(State())

    func forgetReport() { state.withLock { $0.report = nil } }
}

extension SQLiteJobQueue {
    package func report(_ report: WorkerReport) async throws {
        shared.state.withLock { $0.report = (report, until: time.now + WorkerReport.lifetime) }
    }

    package func load() async throws -> (load: QueueLoad, scaling: String?) {
        var load = try await commits.read { try $0.load() }
        let (report, scaling) = shared.state.withLock { ($0.report, $0.scaling) }
        if let report, time.now < report.until { load.workers = [report.0] }
        return (load, scaling)
    }

    package func storeScaling(_ text: String, replacing former: String?) async throws -> Bool {
        shared.state.withLock { state in
            guard state.scaling == former else { return false }
            state.scaling = text
            return true
        }
    }
}
