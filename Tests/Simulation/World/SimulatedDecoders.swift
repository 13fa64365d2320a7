import Concurrency
import Glibc
import Media
import Processing
import Timing

/// The decoders of a worker: they hang, die, and take their time.
///
/// `@unchecked Sendable`: a run has one thread.
final class SimulatedDecoders: AttachmentConverting, @unchecked Sendable {
    private let time: SimulatedTime
    private let faults: Faults
    private let slots: AsyncSemaphore
    private let mutant: Mutant?
    /// Called over a source that kills its worker.
    private let onDeath: @Sendable () -> Void

    init(
        _ count: Int,
        _ time: SimulatedTime,
        _ faults: Faults,
        _ mutant: Mutant?,
        onDeath: @escaping @Sendable () -> Void,
    ) {
        self.mutant = mutant
        slots = AsyncSemaphore(permits: count)
        self.time = time
        self.faults = faults
        self.onDeath = onDeath
    }

    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        do { try await slots.acquire() } catch { throw Self.failure(.cancelled) }
        defer { slots.release() }
        job.onEvent(.decoding(since: time.now))
        let ending = await withTaskGroup(of: Result<Duration, AttachmentFailure>?.self) { group in
            group.addTask { await self.decode(job) }
            group.addTask {
                try? await job.deadline.wait(on: self.time)
                job.deadline.recordCutback()
                return .failure(Self.failure(.timedOut))
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        return try (ending ?? .failure(Self.failure(.cancelled))).get()
    }

    private func decode(_ job: ConversionJob) async -> Result<Duration, AttachmentFailure> {
        let start = time.now
        let progress = await job.file.progress(reaching: .max)
        guard !Task.isCancelled else { return .failure(Self.failure(.cancelled)) }
        let url = String(decoding: job.file.prefix(200), as: UTF8.self).split(separator: " ").first {
            $0.hasPrefix("https://")
        }
        guard let source = url.flatMap({ Source(String($0)) }) else { return .failure(Self.failure(.corrupt)) }
        switch (source.content, faults.decoder) {
        case (.deadly, _):
            onDeath()
            try? await time.sleep(for: .seconds(1))
        case (.crash, _): return .failure(Self.failure(.decoderDied))
        case (_, .die) where Bool.random(): return .failure(Self.failure(.decoderUnavailable))
        case (.endless, _), (_, .hang): try? await time.sleep(for: .seconds(3600))
        case (.lie, _): return .failure(Self.failure(.decoderLied))
        case (_, .slow): try? await time.sleep(for: .milliseconds(Int.random(in: 200...2000)))
        default: break
        }
        job.onEvent(.described(SourceReport(width: 2000, height: 1000, frames: 1)))
        let rungs: [Rung] = progress.ending == .whole ? [.fast, .downscaled] : [.partial]
        for rung in rungs where job.worthwhileRungs?().contains(rung) ?? true {
            try? await time.sleep(for: .milliseconds(Int.random(in: 2...60)))
            guard !Task.isCancelled else { return .failure(Self.failure(.cancelled)) }
            let edge = mutant == .exceedsProfile ? 3000 : min(2000, job.request.image.longEdge)
            let output = SimulatedOutput(source: source.url, longEdge: edge).bytes
            guard let file = try? OutputFile(capacity: output.count) else { continue }
            _ = unsafe pwrite(file.descriptor, output, output.count, 0)
            if mutant == .keepsDescriptor { _ = dup(file.descriptor) }
            let report = RungReport(rung: rung, format: .jpeg, byteCount: output.count, width: edge, height: edge / 2)
            job.onEvent(.output(ReadyRung(report: report, file: file)))
        }
        return .success(time.now - start)
    }

    private static func failure(_ reason: AttachmentFailure.Reason) -> AttachmentFailure {
        AttachmentFailure(.decode, reason, "The simulated decoder made this fail.")
    }
}
