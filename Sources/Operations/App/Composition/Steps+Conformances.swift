import Decoding
import Downloads
package import Media
import Processing
import ServiceExtension
package import Timing

// The pipeline does not know the implementation of any step. The conformances are here.

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
            // The waiters decide when the download ends. Later ones may have later deadlines.
            timeLimit: NotificationService.longestTimeLimit,
            kind: kind,
            wanted: deadline,
            unless: known,
            onHead: onHead,
        )
    }
}

/// The pool of decoder processes. It warns each decoder shortly before its deadline.
struct PooledDecoders: AttachmentConverting {
    let pool: DecoderPool
    let time: any TimeSource
    /// The longer side of the thumbnail that `show` receives; `nil` makes none.
    var previewEdge: Int?
    var show: @Sendable ([UInt8]) -> Void = { _ in }

    /// The time before its deadline at which a decoder is told to finish writing.
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
    /// The largest size of one result, in bytes.
    fileprivate var largestOutput: Int {
        let limits = [animation?.byteLimit, video?.byteLimit, audio?.byteLimit].compactMap(\.self)
        return limits.reduce(image.byteLimit, max)
    }
}
