import CLinux
import Glibc

/// The flag of open(2) that needs no right to read the folder. Swift does not import it.
package let O_PATH: Int32 = 0o10_000_000

extension Ownership {
    /// The most links on one path, and the most bytes of one, as in Linux itself.
    private static let linkLimit = 40
    private static let linkLength = 4096

    /// Throws if another user can replace the folder at `path`, because a folder above it, or above a link on the way to
    /// it, belongs to that user or is writable by others.
    ///
    /// Root is trusted. In a folder with the sticky bit, such as `/tmp`, others cannot replace what is not theirs. A volume's
    /// mount point belongs to root, and the container's runtime opens it to a group or to all. The folder itself is not
    /// checked.
    package static func check(foldersAbove path: String, option: String) throws(FileError) {
        guard let absolute = Directory.absolutePath(path) else { throw FileError("open", path) }
        var rest = components(of: absolute)
        var folder = "/"
        var links = 0
        while let name = rest.popLast() {
            try check(parent: folder, of: absolute, option: option)
            if name == ".." {
                folder = parent(of: folder)
                continue
            }
            let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            guard let target = try target(ofLink: next, to: absolute, option: option) else {
                folder = next
                continue
            }
            links += 1
            guard links <= linkLimit else { throw FileError("open", absolute, ELOOP) }
            rest += components(of: target)
            if target.hasPrefix("/") { folder = "/" }
        }
    }

    private static func check(parent folder: String, of path: String, option: String) throws(FileError) {
        let descriptor = unsafe Glibc.open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", folder) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError("open", folder) }
        guard [0, geteuid()].contains(status.st_uid) else {
            throw .foreignParent(folder, owner: status.st_uid, of: path, option: option)
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) != 0, status.st_mode & S_ISVTX == 0 else { return }
        let isMountPoint = status.st_uid == 0 && clinux_is_mount_point(descriptor) == 1
        guard isMountPoint else { throw .writableParent(folder, of: path, option: option) }
    }

    /// Returns the path that a link holds, or `nil` if there is no link. Throws if it is another user's.
    private static func target(ofLink link: String, to path: String, option: String) throws(FileError) -> String? {
        var status = stat()
        guard unsafe lstat(link, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
        guard [0, geteuid()].contains(status.st_uid) else {
            throw .foreignParent(link, owner: status.st_uid, of: path, option: option)
        }
        var bytes = [CChar](repeating: 0, count: linkLength)
        let count = unsafe readlink(link, &bytes, linkLength)
        guard count > 0 else { throw FileError("open", link) }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the names on a path, the last one first.
    private static func components(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }

    private static func parent(of folder: String) -> String {
        let names = folder.split(separator: "/").dropLast()
        return "/" + names.joined(separator: "/")
    }
}
