import DecoderWire
import Glibc
import Media

/// The job of a simulated decoder process, with the descriptors that came with it.
final class SimulatedDecoding {
    let request: ConversionRequest
    var source: SourceProgress
    private let descriptors: [Int32]
    /// The number of outputs that are made.
    private(set) var made = 0

    init(_ request: ConversionRequest, _ source: SourceProgress, _ descriptors: [Int32]) {
        self.request = request
        self.source = source
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// The name of the source, as its bytes tell it.
    var name: Source? {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = unsafe pread(descriptors.first ?? -1, &bytes, bytes.count, 0)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        return words.first { $0.hasPrefix("https://") }.flatMap { Source(String($0)) }
    }

    /// The next bytes that are not there.
    var rest: Range<Int> {
        let start = source.present.prefixCount
        return start..<max(start + 1, source.size ?? 0)
    }

    var rungs: [Rung] {
        let rungs: [Rung] = source.isCut ? [.partial] : [.fast, .downscaled]
        return rungs.filter(request.rungs.contains)
    }

    /// Writes an output, and returns the report on it. A liar reports a larger one.
    func make(_ rung: Rung) -> RungReport? {
        guard let name, made + 1 < descriptors.count else { return nil }
        made += 1
        let edge = min(2000, request.image.longEdge)
        let output = SimulatedOutput(source: name.url, longEdge: edge).bytes
        _ = unsafe pwrite(descriptors[made], output, output.count, 0)
        let width = name.content == .lie ? edge - 1 : edge
        return RungReport(rung: rung, format: .jpeg, byteCount: output.count, width: width, height: edge / 2)
    }
}

extension SourceProgress {
    /// A Boolean value that indicates whether no more bytes are needed.
    var isWhole: Bool { isEnded || size.map { present.prefixCount >= $0 } ?? false }
}

extension Source {
    /// The memory that decoding needs, in bytes: little, much, or all that all decoders together may have.
    var memoryBytes: Int { [16, 60, 220][number % 3] * 1_048_576 }
}
