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
