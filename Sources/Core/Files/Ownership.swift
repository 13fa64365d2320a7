import CLinux
package import Glibc

/// The check that files and folders belong to this user. It examines open descriptors, so that they cannot be swapped
/// afterwards.
///
/// A folder that another user made can hold that user's keys, or links to files of this user. So folders and files must
/// belong to the user of this process, and other users must not be able to write to them (SECURITY.md, T2).
package enum Ownership {
    /// Throws if a folder belongs to another user or is writable by others.
    ///
    /// With `isEntrance`, the folder may belong to root instead: root is trusted, and a volume's mount point belongs to
    /// root and is writable by all. The entries of such a folder must belong to this user and are checked separately.
    package static func check(
        folder descriptor: Int32,
        at path: String,
        isEntrance: Bool = false,
    ) throws(FileError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError("open", path) }
        guard status.st_uid == geteuid() || isEntrance && status.st_uid == 0 else {
            throw .foreign(path, owner: status.st_uid)
        }
        guard status.st_mode & S_IWOTH != 0 else { return }
        let isMountPoint = isEntrance && status.st_uid == 0 && clinux_is_mount_point(descriptor) == 1
        guard isMountPoint else { throw .writableByAll(path) }
    }

    /// Throws if an entry of a folder belongs to another user.
    package static func check(owner status: stat, at path: String) throws(FileError) {
        guard status.st_uid == geteuid() else { throw .foreign(path, owner: status.st_uid) }
    }

    /// Throws if the file is not a regular file of this user or is writable by others. `status` is that of the open
    /// file, or of the name itself.
    package static func check(file status: stat, at path: String) throws(FileError) {
        try check(owner: status, at: path)
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notFile(path) }
        guard status.st_mode & S_IWOTH == 0 else { throw .writableByAll(path) }
    }

    /// Opens a folder by its path, which the user chooses with `option`. Follows a link only if root made it for another
    /// user, as systemd's `DynamicUser` does for a service's state folder.
    package static func open(folder path: String, option: String) throws(FileError) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe Glibc.open(path, flags)
        if descriptor >= 0 { return descriptor }
        let code = errno
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
            throw FileError("open", path, code, remedy: FileError.remedy(for: code, option: option))
        }
        guard status.st_uid == 0, geteuid() != 0, let real = AbsolutePath.resolved(path) else { throw .link(path) }
        let target = unsafe Glibc.open(real, flags)
        guard target >= 0 else {
            throw FileError("open", path, remedy: FileError.remedy(for: errno, option: option))
        }
        return target
    }
}

// MARK: - The folders above

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

    /// Returns the target of a link, or `nil` if there is no link. Throws if the link belongs to another user.
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
