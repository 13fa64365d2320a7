import CryptoKit
import Foundation

/// The reason why a download is not used.
enum DownloadError: Error, Equatable { case status(Int), wrongType, tooBig, wrongLength, wrongDigest }

/// A file that is being downloaded: bounded, and compared with what the payload says of it.
///
/// Only one uses it at a time, hence `@unchecked`: the network's queue, and then the task that waited for it.
final class IncomingFile: @unchecked Sendable {
    private let entry: AttachmentEntry
    private let base: URL
    private var handle: FileHandle?
    private var digest = SHA256()
    private var count = 0
    private(set) var url: URL
    private var type: MediaType?

    /// `base` is the file's location without its extension, which the answer may decide.
    init(_ entry: AttachmentEntry, at base: URL) {
        (self.entry, self.base, url) = (entry, base, base)
    }

    private var limit: Int { min(entry.byteCount ?? .max, type?.limit ?? 0) }

    /// Takes the answer's header. `length` is negative if the origin does not say it.
    func begin(status: Int, mimeType: String?, length: Int64) throws {
        guard status == 200 else { throw DownloadError.status(status) }
        let named = MediaType.named(entry.type), answered = MediaType.named(mimeType)
        let isSilent = mimeType == nil || mimeType == "application/octet-stream"
        // A network that wants a login answers with a page of HTML.
        guard isSilent || answered != nil, let type = named ?? answered ?? .named(entry.url?.pathExtension),
            answered == nil || answered?.kind == type.kind
        else { throw DownloadError.wrongType }
        self.type = type
        guard length <= Int64(limit) else { throw DownloadError.tooBig }
        url = base.appendingPathExtension(type.fileExtension)
        try Data().write(to: url)
        handle = try FileHandle(forWritingTo: url)
    }

    func append(_ data: Data) throws {
        count += data.count
        guard count <= limit else { throw DownloadError.tooBig }
        digest.update(data: data)
        try handle?.write(contentsOf: data)
    }

    /// Returns the type of the complete file.
    func finish() throws -> MediaType {
        try handle?.close()
        guard let type, count > 0, count == entry.byteCount ?? count else { throw DownloadError.wrongLength }
        let sum = digest.finalize().map { String(format: "%02x", $0) }.joined()
        guard sum == entry.sha256 ?? sum else { throw DownloadError.wrongDigest }
        return type
    }

    func discard() {
        try? handle?.close()
        try? FileManager.default.removeItem(at: url)
    }
}
