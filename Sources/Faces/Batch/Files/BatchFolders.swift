package import Files
import Foundation
import Glibc

/// The two folders of a batch: the input, which is only read, and the output.
package struct BatchFolders: Sendable {
    package let input: Directory
    /// The absolute path of the output. It may not exist before the batch begins.
    package let output: String

    /// Checks both folders without writing.
    package init(input: String, output: String, resumes: Bool) throws(BatchError) {
        do throws(FileError) {
            self.input = try Directory.open(Self.resolved(input) ?? input)
        } catch {
            throw BatchError(.inputNotFound, "\(error). Name a folder of media files.")
        }
        let path = URL(filePath: output).standardizedFileURL.path
        self.output = path
        // If the folder does not exist, its nearest existing parent.
        var nearest = URL(filePath: path)
        while unsafe access(nearest.path, F_OK) != 0, nearest.path != "/" { nearest.deleteLastPathComponent() }
        guard let folder = try? Directory.open(nearest.path) else {
            throw BatchError(.cannotWrite, "\(nearest.path) is not a folder. Choose another --out.")
        }
        guard !Self.isSame(folder, orBelow: self.input) else {
            throw BatchError(.cannotWrite, "--out is inside the input \(input). Choose a folder outside of it.")
        }
        guard nearest.path != path || !Self.isSame(self.input, orBelow: folder) else {
            throw BatchError(.cannotWrite, "The input \(input) is inside --out. Choose another --out.")
        }
        if nearest.path == path { try Self.check(folder, resumes: resumes) }
    }

    /// Throws unless the folder is empty or has a batch's results, so that other files are not overwritten.
    private static func check(_ folder: Directory, resumes: Bool) throws(BatchError) {
        if folder.status(of: Manifest.name.utf8) != nil {
            guard !resumes else { return }
            let message = "\(folder.path) has results of a batch. Continue it with --resume, or choose another --out."
            throw BatchError(.cannotWrite, message)
        }
        let names = ((try? folder.entries()) ?? []).map(\.name).filter { $0 != Array(OutputFolder.ownName.utf8) }
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
        return try OutputFolder(at: Self.resolved(output) ?? output)
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns whether a folder is another one or inside it. Compares the folders themselves, because a folder may have
    /// several paths.
    private static func isSame(_ folder: Directory, orBelow other: Directory) -> Bool {
        func identity(_ descriptor: Int32) -> FileIdentity? {
            var status = stat()
            return unsafe fstat(descriptor, &status) == 0 ? FileIdentity(status) : nil
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
