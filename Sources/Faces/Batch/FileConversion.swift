import Files
import Media
import Processing
import ServiceExtension
import Synchronization
import Timing

/// The conversion of one file by the same pipeline as a notification's attachment.
struct FileConversion: Sendable {
    /// The result of a conversion.
    struct Product: Sendable {
        var line: ManifestLine
        var rung: ReadyRung?
        var preview: [UInt8]?
    }

    let options: BatchOptions
    let decoders: any AttachmentConverting
    private let costs = CostModel()
    private let time = SystemTime()

    init(options: BatchOptions, decoders: any AttachmentConverting) {
        self.options = options
        self.decoders = decoders
    }

    func convert(_ file: SourceFile, at path: RelativePath, _ content: ManifestLine.Content) async -> Product {
        let output = KeptOutput()
        let steps = AttachmentPipeline.Steps(
            downloader: LocalFile(descriptor: file.descriptor, size: file.byteCount, owner: file),
            converter: decoders,
            store: output,
        )
        let start = time.now
        let request = SourceRequest(
            url: "batch:file",
            profile: options.profile,
            limits: options.limits,
            thumbnailEdge: options.thumbnailEdge,
            waitsForWholePictures: true,
            accepted: start,
        )
        let result = await AttachmentPipeline(steps: steps, time: time, costs: costs, memory: options.memory)
            .process(request, deadline: start + options.timeLimit)
        if file.hasChanged {
            return Product(line: ManifestLine(path, outcome: .original, because: SourceFile.changed))
        }
        let line = ManifestLine(path, content, result.members)
        guard result.attachment != nil, let rung = output.rung else { return Product(line: line) }
        return Product(line: line, rung: rung, preview: result.thumbnail)
    }
}

/// A store that keeps the pipeline's output for the batch, which moves it to its location.
private final class KeptOutput: AttachmentStoring {
    private let state = Mutex<ReadyRung?>(nil)

    var rung: ReadyRung? { state.withLock(\.self) }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredAttachment
    {
        state.withLock { $0 = rung }
        // The manifest names the location and the content later.
        return StoredAttachment(identifier: "", url: "", sha256: "")
    }

    func renew(_ stored: StoredAttachment) async -> StoredAttachment? { nil }
}
