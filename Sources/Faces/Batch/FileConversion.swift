import Files
import Media
import Payloads
package import Processing
import ServiceExtension
import Synchronization
import Timing

/// A function that returns the decoders for one file. They pass the file's thumbnail, if it has pictures, to `show`.
package typealias FileDecoders = @Sendable (_ show: @escaping @Sendable ([UInt8]) -> Void) -> any AttachmentConverting

/// The conversion of one file by the same pipeline as a notification's attachment.
struct FileConversion: Sendable {
    /// The result of a conversion.
    struct Product: Sendable {
        var line: ManifestLine
        var rung: ReadyRung?
        var preview: [UInt8]?
    }

    let options: BatchOptions
    let decoders: FileDecoders
    private let reader = PayloadReader()
    private let costs = CostModel()
    private let time = SystemTime()
    /// A notification for the pipeline, with the file as its only attachment.
    private static let payload = Array(#"{"aps":{"alert":"-","mutable-content":1},"my-attachment":"batch:file"}"#.utf8)

    init(options: BatchOptions, decoders: @escaping FileDecoders) {
        self.options = options
        self.decoders = decoders
    }

    func convert(_ file: SourceFile, at path: RelativePath, _ content: ManifestLine.Content) async -> Product {
        let output = KeptOutput()
        let steps = AttachmentPipeline.Steps(
            downloader: LocalFile(descriptor: file.descriptor, size: file.byteCount, owner: file),
            converter: PatientDecoders(decoders: decoders { output.show($0) }),
            store: output,
        )
        guard let notification = try? reader.read(Self.payload, identifier: RandomIdentifier.make()) else {
            let failure = AttachmentFailure(.payload, .internalError, "The file could not be converted.")
            return Product(line: ManifestLine(path, content, outcome: .original, because: failure))
        }
        let start = time.now
        let request = ProcessingRequest(
            notification: notification,
            profile: options.profile,
            limits: options.limits,
            accepted: start,
        )
        let result = await AttachmentPipeline(steps: steps, time: time, costs: costs)
            .process(request, deadline: start + options.timeLimit)
        if file.hasChanged {
            return Product(line: ManifestLine(path, outcome: .original, because: SourceFile.changed))
        }
        let line = ManifestLine(path, content, result.membersWithoutPayload)
        guard !result.attachments.isEmpty, let rung = output.rung else { return Product(line: line) }
        return Product(line: line, rung: rung, preview: output.preview)
    }
}

/// Decoders that begin when a picture is read completely. A local file takes a few milliseconds, in which a decoder
/// would only wait and make a poor version first.
private struct PatientDecoders: AttachmentConverting {
    let decoders: any AttachmentConverting

    func convert(
        _ file: MediaFile,
        as request: ConversionRequest,
        rungs: @escaping @Sendable () -> Set<Rung>,
        until deadline: MovingDeadline,
        describe: @escaping @Sendable (SourceReport) -> Void,
        publish: @escaping @Sendable (ReadyRung) -> Void,
    ) async throws(AttachmentFailure) -> Duration {
        if request.format.kind == .image { _ = await file.progress(reaching: .max) }
        return try await decoders.convert(
            file,
            as: request,
            rungs: rungs,
            until: deadline,
            describe: describe,
            publish: publish,
        )
    }
}

/// A store that keeps the pipeline's output for the batch, which moves it to its location.
private final class KeptOutput: AttachmentStoring {
    private let state = Mutex<(rung: ReadyRung?, preview: [UInt8]?)>((nil, nil))

    var rung: ReadyRung? { state.withLock(\.rung) }
    var preview: [UInt8]? { state.withLock(\.preview) }

    func show(_ preview: [UInt8]) { state.withLock { $0.preview = preview } }

    func store(_ rung: ReadyRung, until deadline: Instant) async throws(AttachmentFailure) -> StoredAttachment {
        state.withLock { $0.rung = rung }
        // The manifest names the location and the content later.
        return StoredAttachment(identifier: "", url: "", sha256: "")
    }

    func renew(_ stored: StoredAttachment) async -> StoredAttachment? { nil }
}
