import Files
import Media
import Processing

/// A reader for attachments that are files on this machine. It passes all others to the downloader.
///
/// Only the command line uses it, where the user may read the file anyway. HTTP and queues never do.
struct LocalFileReader: AttachmentDownloading {
    let remote: any AttachmentDownloading

    func accessKey(of url: String) -> String? { FileURL.path(of: url) == nil ? remote.accessKey(of: url) : nil }

    func origin(of url: String) -> String? { FileURL.path(of: url) == nil ? remote.origin(of: url) : nil }

    func download(_ job: DownloadJob) async {
        guard let path = FileURL.path(of: job.url) else { return await remote.download(job) }
        guard let opened = OpenedFile(path) else {
            let message = "The file \(path) cannot be read. Check that it exists and is readable."
            return job.file.end(.cut(AttachmentFailure(.download, .invalidURL, message)))
        }
        await LocalFile(descriptor: opened.descriptor, size: opened.size, owner: opened).copy(into: job.file)
    }
}
