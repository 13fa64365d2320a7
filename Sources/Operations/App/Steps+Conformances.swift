import Decoding
import Downloads
package import Media
import Processing
import ServiceExtension
package import Timing

// The pipeline knows no stage's implementation; here each is fitted to the step that it does.

extension Downloader: AttachmentDownloading {
    package func download(
        _ url: String,
        into file: MediaFile,
        until deadline: MovingDeadline,
        kind: MediaFormat.Kind?,
        unless known: SourceValidators?,
        onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async {
        let _: DownloadReport = await download(
            url,
            into: file,
            // Those who wait say when it ends. More may come, who wait longer.
            timeLimit: NotificationService.longestTimeLimit,
            kind: kind,
            wanted: deadline,
            unless: known,
            onHead: onHead,
        )
    }
}

/// The pool of decoder processes, told ahead of each deadline that time is nearly up.
struct PooledDecoders: AttachmentConverting {
    let pool: DecoderPool
    let time: any TimeSource
    /// The longer side of a preview that `show` gets; `nil` makes none.
    var previewEdge: Int?
    var show: @Sendable ([UInt8]) -> Void = { _ in }

    /// How long before its end a decoder is told to finish what it is writing.
    private static let notice: Duration = .milliseconds(100)

    func convert(
        _ file: MediaFile,
        as request: ConversionRequest,
        rungs: @escaping @Sendable () -> Set<Rung>,
        until deadline: MovingDeadline,
        describe: @escaping @Sendable (SourceReport) -> Void,
        publish: @escaping @Sendable (ReadyRung) -> Void,
    ) async throws(AttachmentFailure) -> Duration {
        let expiry = ExpirySignal()
        let timer = Task {
            guard (try? await deadline.wait(on: time, until: { $0 - Self.notice })) != nil else { return }
            deadline.recordCutback()
            expiry.expire()
        }
        defer { timer.cancel() }
        var request = request
        request.previewEdge = previewEdge
        return try await pool.convert(
            file,
            as: request,
            rungs: rungs,
            outputCapacity: request.largestOutput,
            until: deadline,
            expiry: expiry,
            describe: describe,
            show: show,
            publish: publish,
        )
    }
}

extension ConversionRequest {
    /// The most bytes of one result.
    fileprivate var largestOutput: Int {
        let limits = [animation?.byteLimit, video?.byteLimit, audio?.byteLimit].compactMap(\.self)
        return limits.reduce(image.byteLimit, max)
    }
}
