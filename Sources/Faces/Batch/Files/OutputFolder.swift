import Files
import Glibc
import Media

/// The folder to which a batch writes: outputs, the manifest, the report, and a folder for unfinished files.
final class OutputFolder: Sendable {
    /// The name of attachd's own folder. Folders of the input with this name are skipped.
    static let ownName = Array(".attachd-batch".utf8)
    /// The names of attachd's own files beside the outputs.
    static let fileNames = [Manifest.name, ReportPage.name].map { Array($0.utf8) }

    let root: Directory
    /// The folder for unfinished files, and for the files that `--resume` needs in addition to the manifest.
    let scratch: Directory

    /// A complete file on the disk, with a temporary name.
    struct Scratch: Sendable {
        var name: String
        var sha256: String
    }

    /// Opens the folder and locks it against other batches until this one ends.
    init(at path: String) throws(BatchError) {
        do throws(FileError) {
            root = try Directory.open(path)
            scratch = try root.subdirectory(Self.ownName)
        } catch {
            throw BatchError(.cannotWrite, "\(error). Choose another --out.")
        }
        do throws(FileError) {
            try Self.checkOwnership(root, scratch)
        } catch {
            throw BatchError(.cannotWrite, "\(error)")
        }
        guard flock(scratch.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw BatchError(.cannotWrite, "Another batch is writing to \(path). Wait for it, or choose another --out.")
        }
        sweep()
    }

    /// Throws if folders or files that a batch would continue with belong to another user (SECURITY.md, T2).
    private static func checkOwnership(_ root: Directory, _ scratch: Directory) throws(FileError) {
        try Ownership.check(folder: root.descriptor, at: root.path, isEntrance: true)
        try Ownership.check(folder: scratch.descriptor, at: scratch.path)
        let own = ((try? scratch.entries()) ?? []).map { (scratch, $0.name) }
        for (folder, name) in own + [(root, Array(Manifest.name.utf8))] {
            guard let status = folder.status(of: name) else { continue }
            try Ownership.check(file: status, at: folder.path(of: name))
        }
    }

    /// Unlocks the folder for other batches.
    func release() { flock(scratch.descriptor, LOCK_UN) }

    /// Removes the unfinished files of earlier processes.
    func sweep() {
        for entry in (try? scratch.entries()) ?? [] where entry.name.starts(with: "tmp-".utf8) {
            try? scratch.remove(entry.name)
        }
    }

    /// Writes an output to the disk under a temporary name.
    func write(_ rung: ReadyRung, number: Int) throws(FileError) -> Scratch {
        try copy(rung.file.descriptor, rung.report.byteCount, to: "tmp-\(number)")
    }

    /// Copies a file of the output to a temporary name.
    func copy(_ file: Int32, _ byteCount: Int, to name: String) throws(FileError) -> Scratch {
        let target = try scratch.replaceFile(name)
        defer { close(target) }
        do throws(FileError) {
            let sha256 = try FileContent.copy(byteCount, from: file, to: target, named: name)
            try FileContent.sync(target, named: name)
            return Scratch(name: name, sha256: sha256)
        } catch {
            try? scratch.remove(name.utf8)
            throw error
        }
    }

    /// Moves a complete file to its location and returns its folder.
    func place(_ name: String, at path: RelativePath) throws(FileError) -> Directory {
        let folder = try root.subdirectory(at: path.parent, creating: true)
        try scratch.move(name.utf8, to: folder, as: path.name)
        return folder
    }

    /// Moves an output aside, because another one needs its path.
    func setAside(_ path: RelativePath, as name: String) -> Bool {
        guard let folder = try? root.subdirectory(at: path.parent) else { return false }
        return (try? folder.move(path.name, to: scratch, as: name.utf8)) != nil
    }

    func remove(_ path: RelativePath) { try? root.subdirectory(at: path.parent).remove(path.name) }

    /// Opens an output, or one that was set aside, if it exists and its content matches the manifest.
    func open(_ name: RelativePath, below folder: Directory, sha256: String) -> (descriptor: Int32, byteCount: Int)? {
        guard let (file, status) = try? folder.subdirectory(at: name.parent).openFile(name.name) else { return nil }
        let byteCount = Int(status.st_size)
        guard (try? FileContent.sha256(byteCount, of: file)) == sha256 else {
            close(file)
            return nil
        }
        return (file, byteCount)
    }

    /// Returns whether the output exists and its content matches the manifest.
    func has(_ path: RelativePath, sha256: String) -> Bool {
        guard let file = open(path, below: root, sha256: sha256) else { return false }
        close(file.descriptor)
        return true
    }
}
