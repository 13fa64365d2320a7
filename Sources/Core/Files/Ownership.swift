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
