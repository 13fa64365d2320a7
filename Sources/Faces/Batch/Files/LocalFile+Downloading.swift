package import Files
package import Media
import Processing

extension LocalFile: AttachmentDownloading {
    package func download(_ job: DownloadJob) async { await copy(into: job.file) }
}
