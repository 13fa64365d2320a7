import Dispatch
import Glibc
import Media
import Processing

/// Reads attachments that are files of this machine, and leaves all others to the downloader.
///
/// Only for the command line, where whoever names the file may read it anyway: never for HTTP or a queue.
struct LocalFileReader: AttachmentDownloading {
    let remote: any AttachmentDownloading
    private let queue = DispatchQueue(label: "attachd.local-files")
    private static let blockSize = 1_048_576

    init(remote: any AttachmentDownloading) { self.remote = remote }

    func download(
        _ url: String,
        into file: MediaFile,
        timeLimit: Duration,
        kind: MediaFormat.Kind?,
        unless known: SourceValidators?,
        onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async {
        guard let path = FileURL.path(of: url) else {
            return await remote.download(
                url,
                into: file,
                timeLimit: timeLimit,
                kind: kind,
                unless: known,
                onHead: onHead,
            )
        }
        await withCheckedContinuation { continuation in
            queue.async {
                do throws(AttachmentFailure) {
                    try Self.read(path, into: file)
                    file.end(.whole)
                } catch {
                    file.end(.cut(error))
                }
                continuation.resume()
            }
        }
    }

    private static func read(_ path: String, into file: MediaFile) throws(AttachmentFailure) {
        // Not blocking, so that a named pipe can't hold us up; only a regular file is read.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { close(descriptor) }
            throw AttachmentFailure(.download, .invalidURL, "The file \(path) cannot be read.")
        }
        defer { close(descriptor) }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
        defer { unsafe block.deallocate() }
        while true {
            let count = unsafe Glibc.read(descriptor, block.baseAddress, block.count)
            guard count >= 0 else {
                throw AttachmentFailure(.download, .truncated, "The file \(path) could not be read to its end.")
            }
            guard count > 0, file.progress.ending == nil else { break }
            try unsafe file.append(UnsafeRawBufferPointer(rebasing: block[..<count]))
        }
        guard file.progress.byteCount > 0 else {
            throw AttachmentFailure(.download, .empty, "The file \(path) is empty.")
        }
    }
}
