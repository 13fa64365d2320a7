import Files
import Glibc
import Media
import Processing
import Timing

/// A reader for attachments that are files on this machine. It passes all others to the downloader.
///
/// Only the command line uses it, where the user may read the file anyway. HTTP and queues never do.
struct LocalFileReader: AttachmentDownloading {
    let remote: any AttachmentDownloading

    func download(
        _ url: String,
        into file: MediaFile,
        until deadline: MovingDeadline,
        kind: MediaFormat.Kind?,
        unless known: SourceValidators?,
        onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async {
        guard let path = FileURL.path(of: url) else {
            return await remote.download(
                url,
                into: file,
                until: deadline,
                kind: kind,
                unless: known,
                onHead: onHead,
            )
        }
        guard let opened = OpenedFile(path) else {
            let message = "The file \(path) cannot be read. Check that it exists and is readable."
            return file.end(.cut(AttachmentFailure(.download, .invalidURL, message)))
        }
        await LocalFile(descriptor: opened.descriptor, size: opened.size, owner: opened)
            .copy(into: file)
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
