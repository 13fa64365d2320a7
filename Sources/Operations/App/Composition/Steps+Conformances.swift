import Decoding
import Downloads
package import Media
import Processing

// The pipeline does not know the implementation of any step. The conformances are here.

extension Downloader: AttachmentDownloading {
    package func download(_ job: DownloadJob) async { let _: DownloadReport = await download(job) }
}

extension DecoderPool: AttachmentConverting {}
