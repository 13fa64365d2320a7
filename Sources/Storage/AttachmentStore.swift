import Dispatch
import Glibc
package import Media

/// The sandboxed files: everything that is written lies below one folder, and nowhere else.
///
/// `tmp/` holds what is being written, in one folder for each process; `attachments/` holds what is ready, moved in by
/// rename, so that nobody sees half a file. Folders are 0700 and files 0600. Names are made here and never taken
/// from a payload, a URL or a header.
package final class AttachmentStore: Sendable {
    /// A ready file.
    package struct File: Sendable, Equatable {
        package var identifier: String
        package var path: String
        package var sha256: String
    }

    package let root: String
    private let attachments: Directory
    private let scratch: ScratchDirectory
    /// File access blocks, so it stays off Swift's own threads.
    private let queue = DispatchQueue(label: "attachd.store", attributes: .concurrent)

    /// Opens the store at `path`, makes it if it isn't there, and sweeps what crashed processes left in `tmp/`.
    package init(at path: String) throws(StoreError) {
        let directory = try Directory.create(path)
        self.root = directory.path
        self.attachments = try directory.subdirectory("attachments")
        self.scratch = try ScratchDirectory(in: directory.subdirectory("tmp"))
    }

    /// Moves an output into the store. Either all of it is there afterwards, or nothing.
    package func store(_ rung: ReadyRung) async throws(AttachmentFailure) -> File {
        let result = await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(returning: Result { () throws(StoreError) in try write(rung) })
            }
        }
        switch result {
        case .success(let file): return file
        case .failure(let error): throw error.attachmentFailure
        }
    }

    /// Whether a small file can be written now.
    package func checkWritable() throws(StoreError) {
        let name = RandomName.make()
        let file = try scratch.directory.createFile(name)
        close(file)
        try scratch.directory.remove(name)
    }

    private func write(_ rung: ReadyRung) throws(StoreError) -> File {
        let identifier = RandomName.make()
        let name = "\(identifier).\(rung.report.format.filenameExtension)"
        let file = try scratch.directory.createFile(name)
        defer { close(file) }
        do throws(StoreError) {
            let sha256 = try FileCopy.copy(rung.report.byteCount, from: rung.file.descriptor, to: file)
            try scratch.directory.move(name, to: attachments)
            return File(identifier: identifier, path: "\(attachments.path)/\(name)", sha256: sha256)
        } catch {
            try? scratch.directory.remove(name)
            throw error
        }
    }
}
