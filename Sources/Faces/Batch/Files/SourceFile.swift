package import Files
import Glibc
package import Media
import Processing

/// A media file of the input, open for reading.
final class SourceFile: Sendable {
    let descriptor: Int32
    let byteCount: Int
    let format: MediaFormat
    private let version: FileVersion

    /// Opens a file and recognizes its format from its beginning.
    ///
    /// - Throws: The reason why the file cannot be converted.
    init(at path: RelativePath, below root: Directory, limits: MediaLimits) throws(AttachmentFailure) {
        let opened: (descriptor: Int32, status: stat)
        do throws(FileError) {
            guard let found = try root.subdirectory(at: path.parent).openFile(path.name) else {
                throw FileError("open", path.text, ENOENT)
            }
            opened = found
        } catch {
            throw AttachmentFailure(.download, .invalidURL, "The file cannot be read: \(error.reason).")
        }
        descriptor = opened.descriptor
        version = FileVersion(opened.status)
        byteCount = Int(opened.status.st_size)
        do throws(AttachmentFailure) {
            format = try Self.format(of: descriptor, byteCount, limits)
        } catch {
            close(opened.descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// A Boolean value that indicates whether the file was changed after it was opened.
    var hasChanged: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) != 0 || FileVersion(status) != version
    }

    /// Returns the SHA-256 of the whole file, in lowercase hexadecimal.
    func sha256() throws(AttachmentFailure) -> String {
        do throws(FileError) {
            let sha256 = try FileContent.sha256(byteCount, of: descriptor)
            if !hasChanged { return sha256 }
        } catch {
            throw AttachmentFailure(.download, .truncated, "The file could not be read to its end.")
        }
        throw Self.changed
    }

    static let changed = AttachmentFailure(
        .download,
        .sourceChanged,
        "The file was changed while it was read. Run the batch again with --resume.",
    )

    private static func format(
        of descriptor: Int32,
        _ byteCount: Int,
        _ limits: MediaLimits,
    ) throws(AttachmentFailure) -> MediaFormat {
        guard byteCount > 0 else { throw AttachmentFailure(.download, .empty, "The file is empty.") }
        guard let format = format(of: descriptor) else {
            throw MediaSniffer.unrecognized([UInt8](FormatRecognition.firstRange, of: descriptor).span)
        }
        // Videos and sounds are read only as far as the clip needs.
        guard format.kind != .image || byteCount <= limits.sourceBytes else {
            throw AttachmentFailure(.download, .tooLarge, "The picture has more than \(limits.sourceBytes) bytes.")
        }
        return format
    }

    private static func format(of descriptor: Int32) -> MediaFormat? {
        var recognition = FormatRecognition()
        var range = FormatRecognition.firstRange
        while true {
            let bytes = [UInt8](range, of: descriptor)
            switch recognition.take(bytes.span) {
            case .looksAt(let next): range = next
            case .recognized(let format): return format
            }
        }
    }
}

extension LocalFile: AttachmentDownloading {
    package func download(_ job: DownloadJob) async { await copy(into: job.file) }
}
