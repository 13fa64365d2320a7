import Concurrency
import Dispatch
package import Media
import Processing
package import Timing

/// An open file of this machine as an attachment's source: what the decoder wants of it is copied into its memory, so
/// nothing that happens to the file can happen to the decoder, and of a long video only the clip is read.
package struct LocalFile: AttachmentDownloading {
    private let descriptor: Int32
    private let size: Int
    /// Keeps the descriptor open for as long as somebody reads.
    private let owner: any AnyObject & Sendable
    private static let queue = DispatchQueue(label: "attachd.local-files", attributes: .concurrent)
    /// What is read ahead of what is asked for, and the most that is copied at one go.
    private static let readAhead = 262_144
    private static let stretch = 1_048_576

    /// `descriptor` is open for as long as `owner` lives.
    package init(descriptor: Int32, size: Int, owner: any AnyObject & Sendable) {
        self.owner = owner
        self.descriptor = descriptor
        self.size = size
    }

    package func download(
        _ url: String,
        into file: MediaFile,
        until deadline: MovingDeadline,
        kind: MediaFormat.Kind?,
        unless known: SourceValidators?,
        onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async {
        guard size > 0 else {
            return file.end(.cut(AttachmentFailure(.download, .empty, "The file is empty.")))
        }
        file.setSize(size)
        while !file.contents.isComplete, let range = await file.missing() {
            do throws(AttachmentFailure) {
                try await copy(range.lowerBound..<max(range.upperBound, range.lowerBound + Self.readAhead), into: file)
            } catch {
                return file.end(.cut(error))
            }
        }
        if file.contents.isComplete { file.end(.whole) }
    }

    /// Copies the beginning of `range`, off Swift's own threads: it may wait for the disk.
    private func copy(_ range: Range<Int>, into file: MediaFile) async throws(AttachmentFailure) {
        let range = range.clamped(to: 0..<size)
        let result = await Self.queue.perform {
            Result { () throws(AttachmentFailure) in try read(range.prefix(Self.stretch), into: file) }
        }
        try result.get()
    }

    private func read(_ range: Range<Int>, into file: MediaFile) throws(AttachmentFailure) {
        try unsafe FileContent.read(range, from: descriptor) { _ in
            AttachmentFailure(.download, .truncated, "The file could not be read to its end.")
        } _: { bytes, offset throws(AttachmentFailure) in
            try unsafe file.write(bytes, at: offset)
        }
    }
}
