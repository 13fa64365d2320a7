import Files
import Glibc
import Media
import Processing

/// A reader for attachments that are files on this machine. It passes all others to the downloader.
///
/// Only the command line uses it, where the user may read the file anyway. HTTP and queues never do.
struct LocalFileReader: AttachmentDownloading {
    let remote: any AttachmentDownloading

    func download(_ job: DownloadJob) async {
        guard let path = FileURL.path(of: job.url) else { return await remote.download(job) }
        guard let opened = OpenedFile(path) else {
            let message = "The file \(path) cannot be read. Check that it exists and is readable."
            return job.file.end(.cut(AttachmentFailure(.download, .invalidURL, message)))
        }
        await LocalFile(descriptor: opened.descriptor, size: opened.size, owner: opened).copy(into: job.file)
    }

    /// An open regular file. The descriptor closes with the last reader.
    private final class OpenedFile: Sendable {
        let descriptor: Int32
        let size: Int

        init?(_ path: String) {
            // Opens without blocking, so that a named pipe cannot stop the process.
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            var status = stat()
            let isFile = unsafe descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            size = Int(status.st_size)
            if !isFile {
                if descriptor >= 0 { close(descriptor) }
                return nil
            }
        }

        deinit { close(descriptor) }
    }
}
