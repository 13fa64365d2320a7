import Base
import Glibc
import Media
import Processing

@testable import Decoding

/// The decoders of a worker: the real pool, over simulated processes.
///
/// `@unchecked Sendable`: a run has one thread.
final class SimulatedDecoders: AttachmentConverting, @unchecked Sendable {
    private let pool: DecoderPool
    private let host: DecoderHost
    private let verdict: Verdict
    /// The number of conversions under way.
    private var active = 0
    private static let memoryBytes = 268_435_456

    init(
        _ plan: Plan.Worker,
        _ time: SimulatedTime,
        _ host: DecoderHost,
        _ verdict: Verdict,
        recorder: any EventRecorder<DecoderEvent>,
    ) {
        self.host = host
        self.verdict = verdict
        let configuration = DecoderPoolConfiguration(
            decoderPath: "",
            spares: plan.spares,
            running: plan.decoders,
            memoryBytes: Self.memoryBytes,
            recorder: recorder,
        )
        pool = DecoderPool(configuration, time: time, watcher: host.readiness) { () throws(SystemError) in
            try host.startZygote()
        }
    }

    var status: DecoderPoolStatus { pool.status }

    func start() { pool.start() }

    func shutDown() async { await pool.shutDown() }

    func refusal(of format: MediaFormat) -> AttachmentFailure? { pool.refusal(of: format) }

    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        var job = job
        job.onEvent = { [onEvent = job.onEvent, pool, verdict] event in
            let held = pool.status.heldBytes
            verdict.require(held <= Self.memoryBytes, .books, "decoders have \(held) bytes")
            onEvent(event)
        }
        active += 1
        defer {
            active -= 1
            checkProcesses()
        }
        return try await pool.convert(job)
    }

    /// Checks that no process still has the job of a conversion that has ended. A kill arrives before the clock moves, and a
    /// process that has finished its job ends by itself soon after.
    private func checkProcesses() {
        host.after(.milliseconds(2)) { [weak self] in
            guard let self else { return }
            let count = host.busyCount
            verdict.require(count <= active, .processes, "\(count) processes have jobs, of which \(active) go on")
        }
    }
}
