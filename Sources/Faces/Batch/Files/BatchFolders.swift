package import Files
import Foundation
import Glibc
import Media

/// The two folders of a batch: the input, which is only read, and the output.
package struct BatchFolders: Sendable {
    package let input: Directory
    /// The absolute path of the output. It may not exist before the batch begins.
    package let output: String

    /// Checks both folders without writing.
    package init(input: String, output: String, resumes: Bool) throws(BatchError) {
        do throws(FileError) {
            self.input = try Directory.open(AbsolutePath.resolved(input) ?? input)
        } catch {
            throw BatchError(.inputNotFound, "\(error). Name a folder of media files.")
        }
        let path = Self.location(of: output)
        self.output = path
        // If the folder does not exist, its nearest existing parent.
        var nearest = path
        while unsafe access(nearest, F_OK) != 0, nearest != "/" {
            nearest = String(nearest[..<(nearest.lastIndex(of: "/") ?? nearest.startIndex)])
            if nearest.isEmpty { nearest = "/" }
        }
        guard let folder = try? Directory.open(nearest) else {
            throw BatchError(.cannotWrite, "\(nearest) is not a folder. Choose another --out.")
        }
        try check(apart: folder)
        guard nearest != path || !Self.isSame(self.input, orBelow: folder) else {
            throw BatchError(.cannotWrite, "The input \(input) is inside --out. Choose another --out.")
        }
        if nearest == path { try Self.check(folder, resumes: resumes) }
    }

    /// Throws if `folder` is the input or inside it.
    private func check(apart folder: Directory) throws(BatchError) {
        guard !Self.isSame(folder, orBelow: input) else {
            throw BatchError(.cannotWrite, "--out is inside the input \(input.path). Choose a folder outside of it.")
        }
    }

    /// Throws unless the folder is empty or has a batch's results, so that other files are not overwritten.
    private static func check(_ folder: Directory, resumes: Bool) throws(BatchError) {
        if folder.status(of: Manifest.name.utf8) != nil {
            guard !resumes else { return }
            let message = "\(folder.path) has results of a batch. Continue it with --resume, or choose another --out."
            throw BatchError(.cannotWrite, message)
        }
        let names = ((try? folder.entries()) ?? []).map(\.name).filter { $0 != OutputFolder.ownName }
        guard names.isEmpty else {
            throw BatchError(.cannotWrite, "\(folder.path) is not empty. Choose a new folder for --out.")
        }
    }

    /// Creates the output's folder and its parents.
    func createOutput() throws(BatchError) -> OutputFolder {
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        } catch {
            throw BatchError(.cannotWrite, "\(output) cannot be created: \(error.localizedDescription)")
        }
        var status = stat()
        guard unsafe lstat(output, &status) == 0,
            status.st_mode & S_IFMT != S_IFLNK
                || [0, geteuid()].contains(status.st_uid)
        else { throw BatchError(.cannotWrite, "\(output) is a link of user \(status.st_uid). Name another --out.") }
        let path = AbsolutePath.resolved(output) ?? output
        // The path may lead elsewhere than it did when the folders were checked.
        if let folder = try? Directory.open(path) { try check(apart: folder) }
        return try OutputFolder(at: path)
    }

    /// Returns the absolute path of a folder as the system finds it: `..` leads out of the folder to which a link leads.
    /// A link at the path's end is kept, and so are the names of folders that do not exist.
    private static func location(of path: String) -> String {
        let start = path.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath
        var location: [Substring] = []
        for component in "\(start)/\(path)".split(separator: "/") where component != "." {
            if let folder = AbsolutePath.resolved("/" + location.joined(separator: "/")) {
                location = folder.split(separator: "/").map { $0 }
            }
            if component == ".." { location = location.dropLast() } else { location.append(component) }
        }
        return "/" + location.joined(separator: "/")
    }

    /// Returns whether a folder is another one or inside it. Compares the folders themselves, because a folder may have
    /// several paths. A folder whose parents cannot be examined counts as inside.
    private static func isSame(_ folder: Directory, orBelow other: Directory) -> Bool {
        let sought = FileIdentity(folder: other.descriptor)
        var current = dup(folder.descriptor)
        defer { close(current) }
        while let identity = FileIdentity(folder: current) {
            if identity == sought { return true }
            // The right to list a parent is not needed.
            let parent = unsafe openat(current, "..", O_PATH | O_DIRECTORY | O_CLOEXEC)
            close(current)
            current = parent
            if FileIdentity(folder: parent) == identity { return false }
        }
        return true
    }
}

extension FileIdentity {
    /// Creates the identity of an open folder. Returns `nil` if it cannot be examined.
    init?(folder descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}

extension [UInt8] {
    /// Reads a range of a file. There are fewer bytes if the file ends before, and none if it cannot be read.
    init(_ range: Range<Int>, of file: Int32) {
        self = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = Swift.max(0, unsafe pread(file, buffer.baseAddress, range.count, off_t(range.lowerBound)))
        }
    }
}

// MARK: - The output's folder

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

extension Directory {
    /// Opens the folder at `path` below this one. If `creating`, creates it and its parents.
    func subdirectory(at path: RelativePath, creating: Bool = false) throws(FileError) -> Directory {
        var folder = self
        for name in path.components { folder = try folder.subdirectory(name, creating: creating) }
        return folder
    }

    /// Creates an empty file for writing, in place of a file left by a crash. The caller closes it.
    func replaceFile(_ name: String) throws(FileError) -> Int32 {
        try? remove(name.utf8)
        return try createFile(name.utf8)
    }
}
