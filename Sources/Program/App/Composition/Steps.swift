import Decoding
import Downloads
import Files
import FoundationEssentials
import HTTPClient
import Media
import Observability
import Processing

// The pipeline does not know the implementation of any step. The conformances are here.

extension Downloader: AttachmentDownloading {}

extension DecoderPool: AttachmentConverting {}

// MARK: - Files on this machine

/// A reader for attachments that are files on this machine. It passes all others to the downloader.
///
/// Only the command line uses it, where the user may read the file anyway. HTTP and queues never do.
struct LocalFileReader: AttachmentDownloading {
    let remote: any AttachmentDownloading

    func resolve(_ text: String) -> Source {
        FileURL.path(of: text).map { Source(text, path: $0) } ?? remote.resolve(text)
    }

    func download(_ job: DownloadJob) async {
        guard let path = job.source.path else { return await remote.download(job) }
        guard let opened = OpenedFile(path) else {
            let message = "The file \(path) cannot be read. Check that it exists and is readable."
            return job.file.end(.cut(AttachmentFailure(.download, .invalidURL, message)))
        }
        await LocalFile(descriptor: opened.descriptor, size: opened.size, owner: opened).copy(into: job.file)
    }
}

/// `file:` URLs and the paths they name (RFC 8089).
enum FileURL {
    static func url(of path: String) -> String { URL(filePath: path).absoluteString }

    /// Returns the path that `text` names as a `file:` URL or as an absolute or relative path; `nil` for any other URL.
    static func path(of text: String) -> String? {
        guard let scheme = URL(string: text)?.scheme?.lowercased(), scheme.count > 1 else {
            return text.isEmpty ? nil : text
        }
        guard scheme == "file", let path = URL(string: text)?.path(percentEncoded: false), path.hasPrefix("/") else {
            return nil
        }
        return path
    }
}
