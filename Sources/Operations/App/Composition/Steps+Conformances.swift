import Decoding
import Downloads
import HTTPClient
import Instruments
package import Media
import Processing
import Tracing

// The pipeline does not know the implementation of any step. The conformances are here.

extension Downloader: AttachmentDownloading {
    package func download(_ job: DownloadJob) async { let _: DownloadReport = await download(job) }

    package func accessKey(of url: String) -> String? { rule(for: url)?.key }

    package func origin(of url: String) -> String? { origin(of: url)?.name }
}

extension DecoderPool: AttachmentConverting {}

extension AttachmentPipeline.Steps {
    /// Returns these steps with a span for each call.
    func traced(_ tracer: any Tracer) -> Self {
        Self(
            downloader: TracedDownloads(downloader, tracer),
            converter: TracedConversions(converter, tracer),
            store: TracedStore(store, tracer),
        )
    }
}
