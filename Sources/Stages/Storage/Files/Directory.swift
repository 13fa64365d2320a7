import Glibc
import Timing

/// An open folder of the store. Every access uses its descriptor and one plain name, so that neither `..` nor a planted
/// link leads out of it.
final class Directory: Sendable {
    let path: String
    let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens the folder at `path`, or creates it with its parents. It must belong to this user or be a mount point.
    static func create(_ path: String) throws(StoreError) -> Directory {
        guard let absolute = absolutePath(path) else { throw StoreError("open", path) }
        var parent = ""
        for component in absolute.split(separator: "/") {
            parent += "/\(component)"
            guard unsafe mkdir(parent, 0o700) == 0 || errno == EEXIST || access(parent, F_OK) == 0 else {
                throw StoreError("create", parent)
            }
        }
        let directory = Directory(path: absolute, descriptor: try Ownership.open(folder: absolute))
        try Ownership.check(folder: directory.descriptor, at: absolute, isEntrance: true)
        return directory
    }

    /// Opens the subfolder `name`, or creates it. It must belong to this user. Removes the access of all other users.
    func subdirectory(_ name: String) throws(StoreError) -> Directory {
        let path = "\(path)/\(name)"
        guard try unsafe mkdirat(descriptor, plain(name), 0o700) == 0 || errno == EEXIST else {
            throw StoreError("create", path)
        }
        let descriptor = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOTDIR || errno == ELOOP ? .link(path) : StoreError("open", path) }
        let directory = Directory(path: path, descriptor: descriptor)
        try Ownership.check(folder: descriptor, at: path)
        // Kubernetes makes a volume's folders accessible to the pod's group at each mount.
        fchmod(descriptor, 0o700)
        return directory
    }

    /// Throws if an entry belongs to another user, or if one of attachd's files is a link.
    func checkEntries() throws(StoreError) {
        for name in names {
            var status = stat()
            let path = "\(path)/\(name)"
            guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            guard status.st_uid == geteuid() else { throw .foreign(path, owner: status.st_uid) }
            if AttachmentIdentifier(name) != nil { try Ownership.check(file: status, at: path) }
        }
    }

    /// Creates a file for writing. The caller closes it.
    func createFile(_ name: String) throws(StoreError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try unsafe openat(descriptor, plain(name), flags, 0o600)
        guard file >= 0 else { throw StoreError("create", "\(path)/\(name)") }
        return file
    }

    /// Opens a file of this user for appending, or creates it. The caller closes it.
    func openForAppending(_ name: String) throws(StoreError) -> Int32 {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = try unsafe openat(descriptor, plain(name), flags, 0o600)
        guard file >= 0 else { throw StoreError("open", "\(path)/\(name)") }
        do throws(StoreError) {
            var status = stat()
            guard unsafe fstat(file, &status) == 0 else { throw StoreError("examine", "\(path)/\(name)") }
            try Ownership.check(file: status, at: "\(path)/\(name)")
        } catch {
            close(file)
            throw error
        }
        return file
    }

    /// Moves a file into `other`. Atomically replaces a file that has the new name.
    func move(_ name: String, to other: Directory, as newName: String) throws(StoreError) {
        guard try unsafe renameat(descriptor, plain(name), other.descriptor, other.plain(newName)) == 0 else {
            throw StoreError("move a file to", "\(other.path)/\(newName)")
        }
    }

    /// Calls `body` under a lock of this folder that excludes other processes.
    func locked<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        flock(descriptor, LOCK_EX)
        defer { flock(descriptor, LOCK_UN) }
        return try body()
    }

    /// Moves a file into `other` as `newName`. If a file of that name exists, removes the file to move instead.
    func move(_ name: String, to other: Directory, unlessThere newName: String) throws(StoreError) {
        let linked = try unsafe linkat(descriptor, plain(name), other.descriptor, other.plain(newName), 0)
        guard linked == 0 || errno == EEXIST else { throw StoreError("move a file to", "\(other.path)/\(newName)") }
        try remove(name)
    }

    /// Opens a file of this user for reading, without following links. Returns its descriptor and status, or `nil` if
    /// it does not exist. The caller closes it.
    func openFile(_ name: String) throws(StoreError) -> (descriptor: Int32, status: stat)? {
        let file = try unsafe openat(descriptor, plain(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError("open", "\(path)/\(name)")
        }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw StoreError("open", "\(path)/\(name)", EINVAL)
        }
        do throws(StoreError) {
            try Ownership.check(file: status, at: "\(path)/\(name)")
        } catch {
            close(file)
            throw error
        }
        return (file, status)
    }

    /// Returns the status of a file, or `nil` if it does not exist or is not a file of this user.
    func status(of name: String) -> stat? {
        var status = stat()
        guard let name = try? plain(name), unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
        else { return nil }
        return status
    }

    /// Sets a file's modification time. Returns whether the file exists. A crash of the machine may undo the change.
    func touch(_ name: String, at time: UnixTime) -> Bool {
        guard let name = try? plain(name) else { return false }
        return unsafe utimensat(descriptor, name, [time.fileTime, time.fileTime], AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Writes the folder's entries to the disk, so that they survive a crash of the machine.
    func sync() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw StoreError("write to the disk", path) }
    }

    /// Returns the disk's free space for this user and its size, in bytes.
    func diskSpace() throws(StoreError) -> (free: Int, size: Int) {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { throw StoreError("examine the disk of", path) }
        let block = Int(status.f_frsize)
        return (Int(status.f_bavail) * block, Int(status.f_blocks) * block)
    }

    func remove(_ name: String) throws(StoreError) {
        guard try unsafe unlinkat(descriptor, plain(name), 0) == 0 else {
            throw StoreError("remove", "\(path)/\(name)")
        }
    }

    func removeEmptySubdirectory(_ name: String) {
        guard let name = try? plain(name) else { return }
        unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
    }

    /// The names in this folder, without `.` and `..`.
    var names: [String] {
        guard let stream = unsafe fdopendir(openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private func plain(_ name: String) throws(StoreError) -> String {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
            throw StoreError("open", "\(path)/\(name)", EINVAL)
        }
        return name
    }

    /// Returns the absolute path without a trailing slash or dot, because both would follow a link.
    private static func absolutePath(_ path: String) -> String? {
        var components = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        if !path.hasPrefix("/") {
            guard let current = unsafe getcwd(nil, 0) else { return nil }
            defer { unsafe free(current) }
            components = unsafe String(cString: current).split(separator: "/").map(String.init) + components
        }
        return "/" + components.joined(separator: "/")
    }
}
