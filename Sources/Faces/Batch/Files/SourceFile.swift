import Glibc
import Media
import Storage

/// A media file of the input, open for reading.
final class SourceFile: Sendable {
    let descriptor: Int32
    let byteCount: Int
    let format: MediaFormat
    private let version: Version

    /// The state of a file that changes with every write.
    private struct Version: Equatable {
        var size: Int
        var modified: [Int]

        init(_ status: stat) {
            size = Int(status.st_size)
            modified = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }

    /// Opens a file and recognizes its format from its beginning.
    ///
    /// - Throws: The reason why the file cannot be converted.
    init(at path: RelativePath, below root: Folder, limits: MediaLimits) throws(AttachmentFailure) {
        let opened: (descriptor: Int32, status: stat)
        do throws(FileError) {
            opened = try root.folder(at: path.parent).openFile(path.name)
        } catch {
            throw AttachmentFailure(.download, .invalidURL, "The file cannot be read: \(error.reason).")
        }
        descriptor = opened.descriptor
        version = Version(opened.status)
        byteCount = version.size
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
        return unsafe fstat(descriptor, &status) != 0 || Version(status) != version
    }

    /// Returns the SHA-256 of the whole file, in lowercase hexadecimal.
    func sha256() throws(AttachmentFailure) -> String {
        do throws(StoreError) {
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
        let head = unsafe [UInt8](unsafeUninitializedCapacity: MediaSniffer.byteCount) { buffer, count in
            count = max(0, unsafe pread(descriptor, buffer.baseAddress, MediaSniffer.byteCount, 0))
        }
        guard let format = MediaSniffer.format(of: head.span) else {
            let message = "The file is not an image, video or sound that attachd supports, whatever its name is."
            throw AttachmentFailure(.decode, .unrecognizedFormat, message)
        }
        // Videos and sounds are read only as far as the clip needs.
        guard format.kind != .image || byteCount <= limits.sourceBytes else {
            throw AttachmentFailure(.download, .tooLarge, "The picture has more than \(limits.sourceBytes) bytes.")
        }
        return format
    }
}
