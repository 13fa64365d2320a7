import AudioVideo
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
