import AudioVideo
import Base
import DecoderWire
import Glibc
import Images
import Media
import Sandbox

/// A decoder process: it gives up its rights, does one job, and ends.
struct DecoderProcess {
    let line: PacketSocket

    /// Runs the process until the job is done or the worker has no job for it.
    func run(_ lockDown: () -> SandboxReport) {
        do {
            try line.send(DecoderMessage.ready(lockDown()))
            guard let packet = try line.receive(descriptorLimit: Self.descriptorLimit, waits: true) else { return }
            try line.send(DecoderMessage.began)
            try line.send(answer(to: packet))
        } catch {
            // The worker sees that the process ended without an answer. Nobody else needs the error.
            _exit(1)
        }
    }

    /// The most descriptors of a job: the source and the outputs.
    private static let descriptorLimit = 8

    private func answer(to packet: PacketSocket.Packet) throws(WireError) -> DecoderMessage {
        guard
            case .transform(let request, let progress, let outputs, let capacity) = try WorkerMessage(
                packet: packet.bytes
            ),
            let source = packet.descriptors.first,
            packet.descriptors.count == 1 + outputs
        else { throw .invalidValue }
        let bytes = SharedSource(descriptor: source, line: line, progress: progress)
        let files = OutputDescriptors(
            Array(packet.descriptors.dropFirst()),
            capacity: capacity,
            line: line,
            source: bytes,
        )
        do throws(DecodeError) {
            switch request.format.kind {
            case .image: try ImageTransform(request: request, source: bytes, output: files).run()
            case .video, .audio:
                try ClipTransform(request: request, source: bytes, output: files, stills: PosterEmitter()).run()
            }
            return .done
        } catch {
            return .failed(error.reason, error.cause)
        }
    }
}

// MARK: - Outputs

/// The files of fixed size that the worker provides for results, one for each.
final class OutputDescriptors: RungOutput {
    private let descriptors: [Int32]
    private let capacity: Int
    private let line: PacketSocket
    /// The source, which receives the worker's answers.
    private let source: SharedSource
    private var used = 0

    init(_ descriptors: [Int32], capacity: Int, line: PacketSocket, source: SharedSource) {
        self.descriptors = descriptors
        self.capacity = capacity
        self.line = line
        self.source = source
    }

    func describe(_ report: SourceReport, memoryBytes: Int) {
        send(.source(report, memoryBytes: memoryBytes))
        source.waitToProceed()
    }

    func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        let output = try unsafe write(bytes)
        var report = report
        report.byteCount = bytes.count
        send(.rung(report, output: output))
    }

    func emitThumbnail(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        try unsafe send(.thumbnail(byteCount: bytes.count, output: write(bytes)))
    }

    /// Writes all of `bytes` to the next file, and returns the file's index.
    private func write(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> Int {
        guard used < descriptors.count else { throw DecodeError(.internalError, "more results than output files") }
        guard bytes.count <= capacity else { throw DecodeError(.tooLarge, "the result outgrows its file") }
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe pwrite(descriptors[used], rest.baseAddress, rest.count, off_t(written))
            guard count > 0 else { throw DecodeError(.resourceLimit, "no memory for the result") }
            written += count
        }
        used += 1
        return used - 1
    }

    /// Sends a message. Ends the process if the worker is gone.
    private func send(_ message: DecoderMessage) {
        do throws(SystemError) { try line.send(message) } catch { _exit(1) }
    }
}

// MARK: - Rehearsal

/// Jobs with a tiny picture, before the first fork.
///
/// The Swift runtime looks up each type when it is first used. A forked process inherits what was looked up here, which
/// saves a picture of 320 pixels a quarter of a millisecond.
enum Rehearsal {
    /// Runs the jobs through the same steps as in a decoder process, without the worker.
    static func run() {
        guard let source = Libvips.jpegSample else { return }
        // Below the sample's size, and above it.
        for longEdge in [8, 32] {
            let rules = ImageRules(longEdge: longEdge, byteBudget: byteLimit, byteLimit: byteLimit)
            let request = ConversionRequest(format: .jpeg, image: rules, animation: nil)
            let progress = SourceProgress(present: ByteRanges([0..<byteLimit]), size: byteLimit, isEnded: true)
            let message = WorkerMessage.transform(request, source: progress, outputs: 1, outputCapacity: byteLimit)
            guard case .transform(let read, _, _, _)? = try? WorkerMessage(packet: message.packet) else { return }
            try? ImageTransform(request: read, source: source, output: DroppedOutput()).run()
        }
    }

    private static let byteLimit = 100_000
}

/// An output whose messages nobody receives.
private final class DroppedOutput: RungOutput {
    func describe(_ report: SourceReport, memoryBytes: Int) {
        _ = DecoderMessage.source(report, memoryBytes: memoryBytes).packet
    }

    func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        _ = DecoderMessage.rung(report, output: 0).packet
    }

    func emitThumbnail(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {}
}
