import CLinux
package import Glibc

/// The check that nobody else prepared what is used: made on open descriptors, so that nothing can be swapped after it.
///
/// A folder that another user made can hold that user's keys, or links to files of this one. So folders and files must
/// belong to the user of this process, and others must not be able to write to them (SECURITY.md, T2).
package enum Ownership {
    /// Refuses a folder of another user, and one that others can write to.
    ///
    /// With `isEntrance`, the folder may be root's instead: what root made is trusted, and a volume's mount point is root's,
    /// open to all. Everything in it must be this user's then, and is checked by itself.
    package static func check(
        folder descriptor: Int32,
        at path: String,
        isEntrance: Bool = false,
    ) throws(StoreError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw StoreError("open", path) }
        guard status.st_uid == geteuid() || isEntrance && status.st_uid == 0 else {
            throw .foreign(path, owner: status.st_uid)
        }
        guard status.st_mode & S_IWOTH != 0 else { return }
        let isMountPoint = isEntrance && status.st_uid == 0 && clinux_is_mount_point(descriptor) == 1
        guard isMountPoint else { throw .writableByAll(path) }
    }

    /// Refuses what is not a file of this user's, and a file that others can write to. `status` is of the open file, or
    /// of the name itself.
    package static func check(file status: stat, at path: String) throws(StoreError) {
        guard status.st_uid == geteuid() else { throw .foreign(path, owner: status.st_uid) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notFile(path) }
        guard status.st_mode & S_IWOTH == 0 else { throw .writableByAll(path) }
    }

    /// Opens a folder by its name. A link is followed only where root put it for another user, as systemd's `DynamicUser`
    /// does with a service's state folder.
    package static func open(folder path: String) throws(StoreError) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe Glibc.open(path, flags)
        if descriptor >= 0 { return descriptor }
        let code = errno
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
            throw StoreError("open", path, code)
        }
        guard status.st_uid == 0, geteuid() != 0, let real = unsafe realpath(path, nil) else { throw .link(path) }
        defer { unsafe free(real) }
        let target = unsafe Glibc.open(real, flags)
        guard target >= 0 else { throw StoreError("open", path) }
        return target
    }
}
