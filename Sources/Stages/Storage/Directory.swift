import Glibc
import Timing

/// A folder of the store, held open. Every access goes through its descriptor and one plain name, so that neither `..`
/// nor a planted link leads out of it.
final class Directory: Sendable {
    let path: String
    let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens the folder at `path`, made with its parents where it isn't there. It must be this user's, or a mount point.
    static func create(_ path: String) throws(StoreError) -> Directory {
        guard let absolute = absolutePath(path) else { throw StoreError("open", path) }
        var parent = ""
        for component in absolute.split(separator: "/") {
            parent += "/\(component)"
            guard unsafe mkdir(parent, 0o700) == 0 || errno == EEXIST || access(parent, F_OK) == 0 else {
                throw StoreError("mkdir", parent)
            }
        }
        let directory = Directory(path: absolute, descriptor: try Ownership.open(folder: absolute))
        try Ownership.check(folder: directory.descriptor, at: absolute, isEntrance: true)
        return directory
    }

    /// The folder of that name, made where it isn't there. It must be this user's, and is closed to everybody else.
    func subdirectory(_ name: String) throws(StoreError) -> Directory {
        let path = "\(path)/\(name)"
        guard try unsafe mkdirat(descriptor, plain(name), 0o700) == 0 || errno == EEXIST else {
            throw StoreError("mkdir", path)
        }
        let descriptor = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOTDIR || errno == ELOOP ? .link(path) : StoreError("open", path) }
        let directory = Directory(path: path, descriptor: descriptor)
        try Ownership.check(folder: descriptor, at: path)
        // Kubernetes opens a volume's folders to the pod's group, at each mount.
        fchmod(descriptor, 0o700)
        return directory
    }

    /// Refuses a folder in which another user has something, or in which a file of ours is a link.
    func checkEntries() throws(StoreError) {
        for name in names {
            var status = stat()
            let path = "\(path)/\(name)"
            guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            guard status.st_uid == geteuid() else { throw .foreign(path, owner: status.st_uid) }
            if AttachmentIdentifier(name) != nil { try Ownership.check(file: status, at: path) }
        }
    }

    /// A new file for writing. The caller closes it.
    func createFile(_ name: String) throws(StoreError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try unsafe openat(descriptor, plain(name), flags, 0o600)
        guard file >= 0 else { throw StoreError("create", "\(path)/\(name)") }
        return file
    }

    /// Opens a file of this user's to add to it, and makes it if it isn't there. The caller closes it.
    func openForAppending(_ name: String) throws(StoreError) -> Int32 {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = try unsafe openat(descriptor, plain(name), flags, 0o600)
        guard file >= 0 else { throw StoreError("open", "\(path)/\(name)") }
        do throws(StoreError) {
            var status = stat()
            guard unsafe fstat(file, &status) == 0 else { throw StoreError("fstat", "\(path)/\(name)") }
            try Ownership.check(file: status, at: "\(path)/\(name)")
        } catch {
            close(file)
            throw error
        }
        return file
    }

    /// Moves a file into `other`, where it takes the place of one that has the new name, in one step.
    func move(_ name: String, to other: Directory, as newName: String) throws(StoreError) {
        guard try unsafe renameat(descriptor, plain(name), other.descriptor, other.plain(newName)) == 0 else {
            throw StoreError("rename", "\(other.path)/\(newName)")
        }
    }

    /// Keeps other processes that ask for the same from what is done meanwhile.
    func locked<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        flock(descriptor, LOCK_EX)
        defer { flock(descriptor, LOCK_UN) }
        return try body()
    }

    /// Moves a file into `other` as `newName`, unless a file of that name is there; then it is removed.
    func move(_ name: String, to other: Directory, unlessThere newName: String) throws(StoreError) {
        let linked = try unsafe linkat(descriptor, plain(name), other.descriptor, other.plain(newName), 0)
        guard linked == 0 || errno == EEXIST else { throw StoreError("link", "\(other.path)/\(newName)") }
        try remove(name)
    }

    /// A file of this user's for reading, with what it is; `nil` if there is none. Never what a link points to. The caller
    /// closes it.
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

    /// What the file is; `nil` if it isn't there, or isn't a file of this user's.
    func status(of name: String) -> stat? {
        var status = stat()
        guard let name = try? plain(name), unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
        else { return nil }
        return status
    }

    /// Says that the file was changed at `time`; whether it is there. After a crash of the machine the change may be lost.
    func touch(_ name: String, at time: UnixTime) -> Bool {
        guard let name = try? plain(name) else { return false }
        return unsafe utimensat(descriptor, name, [time.fileTime, time.fileTime], AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Makes the names in this folder last, whatever happens to the machine.
    func sync() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw StoreError("fsync", path) }
    }

    /// Bytes that are free for this user on the disk, and its size.
    func diskSpace() throws(StoreError) -> (free: Int, size: Int) {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { throw StoreError("statvfs", path) }
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

    /// Without a slash or a dot at its end, either of which would follow a link there.
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
