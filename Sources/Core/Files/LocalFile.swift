import Base
import Glibc
package import Media

/// An open local file as the source of an attachment. The requested parts are copied into the decoder's memory, so that
/// changes of the file cannot affect the decoder, and only the clip of a long video is read.
package struct LocalFile: Sendable {
    private let descriptor: Int32
    private let size: Int
    /// The owner of the descriptor, which keeps it open while it is in use.
    private let owner: any AnyObject & Sendable
    private static let disk = WorkThreads("local files", limit: 16)
    /// The number of bytes to read ahead, and the maximum number of bytes copied at once.
    private static let readAhead = 262_144
    private static let stretch = 1_048_576

    /// Creates a source from `descriptor`, which stays open while `owner` exists.
    package init(descriptor: Int32, size: Int, owner: any AnyObject & Sendable) {
        self.owner = owner
        self.descriptor = descriptor
        self.size = size
    }

    /// Copies the parts that `file` requests, until it is complete or no longer needed.
    package func copy(into file: MediaFile) async {
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

    /// Copies the beginning of `range`. It may wait for the disk, so it does not run on Swift's threads.
    private func copy(_ range: Range<Int>, into file: MediaFile) async throws(AttachmentFailure) {
        let range = range.clamped(to: 0..<size).prefix(Self.stretch)
        guard await file.room(for: range.count) else {
            // The file has ended, or nobody waits for it any more.
            throw AttachmentFailure(.download, .cancelled, "The file is no longer needed.")
        }
        let result = await Self.disk.perform {
            Result { () throws(AttachmentFailure) in try read(range, into: file) }
        }
        guard let result else { throw AttachmentFailure(.download, .cancelled, "The file is no longer needed.") }
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

// MARK: - Paths

/// Absolute forms of paths. URLs, results and logs show them, and they mean the same wherever they are read.
package enum AbsolutePath {
    /// Returns `path`, seen from `folder` or the current folder, without `.`, `..` and empty names.
    ///
    /// The parent of a link is that of the folder that it leads to, as in every system call. Other links stay as they
    /// are.
    package static func of(_ path: String, in folder: String? = nil) -> String {
        let names = path.hasPrefix("/") ? path : "\(folder ?? resolved(".") ?? "")/\(path)"
        var parts: [Substring] = []
        for name in names.split(separator: "/") where name != "." {
            guard name == ".." else {
                parts.append(name)
                continue
            }
            let location = "/" + parts.joined(separator: "/")
            parts = (resolved(location) ?? location).split(separator: "/").dropLast()
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the absolute path of what a path leads to, without links. Returns `nil` if it leads to nothing.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
