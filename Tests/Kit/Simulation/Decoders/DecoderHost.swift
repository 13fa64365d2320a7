import Base
import DecoderWire
import Glibc
import Sandbox

@testable import Decoding

/// The machine on which a worker's decoder processes run: they go on while the worker stands still, and end with it.
///
/// `@unchecked Sendable`: a run has one thread.
final class DecoderHost: @unchecked Sendable {
    let scheduler: Scheduler
    let readiness: SimulatedReadiness
    let faults: Faults
    /// Called over a source that kills its worker.
    let onDeath: @Sendable () -> Void
    private var zygotes: [Int: SimulatedZygote] = [:]
    private var lastPID = 0

    init(
        _ scheduler: Scheduler,
        _ readiness: SimulatedReadiness,
        _ faults: Faults,
        onDeath: @escaping @Sendable () -> Void,
    ) {
        self.scheduler = scheduler
        self.readiness = readiness
        self.faults = faults
        self.onDeath = onDeath
    }

    /// The number of processes that are not gone.
    var count: Int { zygotes.count }

    /// The number of decoder processes that have a job.
    var busyCount: Int { zygotes.values.reduce(0) { $0 + $1.busyCount } }

    func makePID() -> Int {
        lastPID += 1
        return lastPID
    }

    /// Starts a zygote, as the pool sees it.
    func startZygote() throws(SystemError) -> ZygoteProcess {
        guard faults.decoder != .die || !Bool.random() else { throw SystemError("the simulated start", code: ENOENT) }
        let (ours, theirs) = try PacketSocket.pair()
        let process = try SimulatedProcess(makePID(), readiness)
        let pid = process.pid
        zygotes[pid] = SimulatedZygote(process, theirs, on: self) { [weak self] in self?.zygotes[pid] = nil }
        return ZygoteProcess(
            pid: Int32(pid),
            process: ProcessHandle(adopting: process.handle),
            control: ours,
            watcher: readiness,
            group: nil,
            groupState: .off,
        )
    }

    /// Ends all processes, as the end of their worker does.
    func end() {
        for zygote in zygotes.values.sorted(by: { $0.pid < $1.pid }) { zygote.end() }
    }

    /// Calls `action` after a time.
    func after(_ delay: Duration, _ action: @escaping () -> Void) { scheduler.at(scheduler.now + delay, action) }
}
