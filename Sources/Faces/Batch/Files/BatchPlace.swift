import Foundation
import Glibc

/// The two folders of a batch: one that is only read, one that is only written.
package struct BatchPlace: Sendable {
    package let input: Folder
    /// The output's absolute path. Nothing is there before the batch begins.
    package let output: String

    /// Checks that both make sense, and writes nothing.
    package init(input: String, output: String, resumes: Bool) throws(BatchError) {
        do throws(FileError) {
            self.input = try Folder.open(Self.resolved(input) ?? input)
        } catch {
            throw BatchError(.inputNotFound, "\(error). Name a folder of media files.")
        }
        let path = URL(filePath: output).standardizedFileURL.path
        self.output = path
        // Of what isn't there yet, the nearest folder that is.
        var nearest = URL(filePath: path)
        while unsafe access(nearest.path, F_OK) != 0, nearest.path != "/" { nearest.deleteLastPathComponent() }
        guard let folder = try? Folder.open(nearest.path) else {
            throw BatchError(.cannotWrite, "\(nearest.path) is no folder. Choose another --out.")
        }
        guard !Self.isSame(folder, orBelow: self.input) else {
            throw BatchError(.cannotWrite, "--out lies in \(input), which is only read. Choose a folder outside of it.")
        }
        guard nearest.path != path || !Self.isSame(self.input, orBelow: folder) else {
            throw BatchError(.cannotWrite, "\(input) lies in --out, and is only read. Choose another folder.")
        }
        if nearest.path == path { try Self.check(folder, resumes: resumes) }
    }

    /// Nobody's files are written over: a folder is new or empty, or a batch's own.
    private static func check(_ folder: Folder, resumes: Bool) throws(BatchError) {
        if folder.status(of: Array(Manifest.name.utf8)) != nil {
            guard !resumes else { return }
            let message = "\(folder.path) has a batch's results. Add --resume to go on, or choose another --out."
            throw BatchError(.cannotWrite, message)
        }
        let names = ((try? folder.entries()) ?? []).map(\.name).filter { $0 != Array(OutputFolder.ownName.utf8) }
        guard names.isEmpty else {
            throw BatchError(.cannotWrite, "\(folder.path) is not empty. Choose a new folder for --out.")
        }
    }

    /// Makes the output's folder and those on the way to it.
    func createOutput() throws(BatchError) -> OutputFolder {
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        } catch {
            throw BatchError(.cannotWrite, "\(output) cannot be made: \(error.localizedDescription)")
        }
        var status = stat()
        guard unsafe lstat(output, &status) == 0,
            status.st_mode & S_IFMT != S_IFLNK
                || [0, geteuid()].contains(status.st_uid)
        else { throw BatchError(.cannotWrite, "\(output) is a link of user \(status.st_uid). Name another --out.") }
        return try OutputFolder(at: Self.resolved(output) ?? output)
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Told by the folders themselves, for one may have many names.
    private static func isSame(_ folder: Folder, orBelow other: Folder) -> Bool {
        func identity(_ descriptor: Int32) -> [UInt] {
            var status = stat()
            return unsafe fstat(descriptor, &status) == 0 ? [UInt(status.st_dev), UInt(status.st_ino)] : []
        }
        let sought = identity(other.descriptor)
        var current = dup(folder.descriptor)
        while current >= 0, identity(current) != sought {
            let parent = unsafe openat(current, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            let isRoot = parent >= 0 && identity(parent) == identity(current)
            close(current)
            guard !isRoot else {
                close(parent)
                return false
            }
            current = parent
        }
        guard current >= 0 else { return false }
        close(current)
        return true
    }
}
