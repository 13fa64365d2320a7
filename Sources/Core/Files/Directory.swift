package import Base
package import Glibc

/// An open folder. Every access uses its descriptor and one plain name, so that neither `..` nor a planted link leads
/// out of it.
///
/// Names are bytes of the file system, which need not be UTF-8. Pass `text.utf8` for a name that is text.
package final class Directory: Sendable {
    /// The rule for the entries of a folder. Subfolders have the rule of their parent.
    package enum Access: Sendable {
        /// The entries must belong to this user, and other users cannot read new ones.
        case thisUser
        /// The entries may belong to anybody, and the process's umask decides who can read new ones.
        case anyUser
    }

    /// The absolute path, or the path that the user gave.
    package let path: String
    package let descriptor: Int32
    private let access: Access
    /// The command line's option that names the folder, for the advice of errors.
    private let option: String?

    private init(path: String, adopting descriptor: Int32, _ access: Access, option: String?) {
        self.path = path
        self.descriptor = descriptor
        self.access = access
        self.option = option
    }

    deinit { close(descriptor) }

    /// Opens a folder by the user's path, with entries of any user. Follows links.
    package static func open(_ path: String) throws(FileError) -> Directory {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", path) }
        return Directory(path: path, adopting: descriptor, .anyUser, option: nil)
    }

    /// Opens the folder at `path`, or creates it with its parents, for entries of this user. It must belong to this
    /// user or be a mount point, and no other user may be able to replace it.
    package static func create(_ path: String, option: String) throws(FileError) -> Directory {
        func failure(_ operation: String, _ path: String) -> FileError {
            FileError(operation, path, remedy: FileError.remedy(for: errno, option: option))
        }
        guard let absolute = absolutePath(path) else { throw failure("open", path) }
        var parent = ""
        for component in absolute.split(separator: "/") {
            parent += "/\(component)"
            guard unsafe mkdir(parent, 0o700) == 0 || errno == EEXIST || Glibc.access(parent, F_OK) == 0 else {
                throw failure("create", parent)
            }
        }
        let descriptor = try Ownership.open(folder: absolute, option: option)
        let directory = Directory(path: absolute, adopting: descriptor, .thisUser, option: option)
        try Ownership.check(folder: descriptor, at: absolute, isEntrance: true)
        // After the folders were made, so that it also holds for those that another user made meanwhile.
        try Ownership.check(foldersAbove: absolute, option: option)
        return directory
    }

    /// Opens the subfolder `name`. If `creating`, creates it if it does not exist.
    ///
    /// With the access of this user, the subfolder must belong to this user, and all other users lose their access.
    package func subdirectory(_ name: some Collection<UInt8>, creating: Bool = true) throws(FileError) -> Directory {
        let entry = try entry(name)
        if creating, unsafe mkdirat(descriptor, entry, isPrivate ? 0o700 : 0o777) != 0, errno != EEXIST {
            throw failure("create the folder", name)
        }
        let path = path(of: name)
        let child = unsafe openat(descriptor, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard child >= 0 else {
            throw isPrivate && [ENOTDIR, ELOOP].contains(errno) ? .link(path) : failure("open the folder", name)
        }
        let directory = Directory(path: path, adopting: child, access, option: option)
        guard isPrivate else { return directory }
        try Ownership.check(folder: child, at: path)
        // Kubernetes makes a volume's folders accessible to the pod's group at each mount.
        fchmod(child, 0o700)
        return directory
    }

    /// Creates a file for writing. The caller closes it.
    package func createFile(_ name: some Collection<UInt8>) throws(FileError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try unsafe openat(descriptor, entry(name), flags, isPrivate ? 0o600 : 0o666)
        guard file >= 0 else { throw failure("create", name) }
        return file
    }

    /// Opens a file for reading and appending, or creates it. The caller closes it.
    package func openForAppending(_ name: some Collection<UInt8>) throws(FileError) -> Int32 {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = try unsafe openat(descriptor, entry(name), flags, isPrivate ? 0o600 : 0o666)
        guard file >= 0 else { throw failure("open", name) }
        _ = try checked(file, name)
        return file
    }

    /// Opens a regular file for reading, without following links. Returns its descriptor and status, or `nil` if it
    /// does not exist. The caller closes it.
    package func openFile(
        _ name: some Collection<UInt8>
    ) throws(FileError) -> (descriptor: Int32, status: stat)? {
        // Opens without blocking, so that a named pipe cannot stop the caller.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = try unsafe openat(descriptor, entry(name), flags)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open", name)
        }
        return (file, try checked(file, name))
    }

    /// Moves a file into `other`. Atomically replaces a file that has the new name.
    package func move(
        _ name: some Collection<UInt8>,
        to other: Directory,
        as newName: some Collection<UInt8>,
    ) throws(FileError) {
        guard try unsafe renameat(descriptor, entry(name), other.descriptor, other.entry(newName)) == 0 else {
            throw other.failure("move a file to", newName)
        }
    }

    /// Moves a file into `other` as `newName`. If a file of that name exists, removes the file to move instead.
    package func move(
        _ name: some Collection<UInt8>,
        to other: Directory,
        unlessThere newName: some Collection<UInt8>,
    ) throws(FileError) {
        let linked = try unsafe linkat(descriptor, entry(name), other.descriptor, other.entry(newName), 0)
        guard linked == 0 || errno == EEXIST else { throw other.failure("move a file to", newName) }
        try remove(name)
    }

    package func remove(_ name: some Collection<UInt8>) throws(FileError) {
        guard try unsafe unlinkat(descriptor, entry(name), 0) == 0 else { throw failure("remove", name) }
    }

    package func removeEmptySubdirectory(_ name: some Collection<UInt8>) {
        guard let entry = try? entry(name) else { return }
        unsafe unlinkat(descriptor, entry, AT_REMOVEDIR)
    }

    /// Returns the status of an entry without following links, or `nil` if it does not exist.
    package func status(of name: some Collection<UInt8>) -> stat? {
        var status = stat()
        guard let entry = try? entry(name), unsafe fstatat(descriptor, entry, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        return status
    }

    /// Sets a file's modification time. Returns whether the file exists. A crash of the machine may undo the change.
    package func touch(_ name: some Collection<UInt8>, at time: UnixTime) -> Bool {
        guard let entry = try? entry(name) else { return false }
        return unsafe utimensat(descriptor, entry, [time.fileTime, time.fileTime], AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Calls `body` under a lock of this folder that excludes other processes, but not other threads of this one. If
    /// another process has it, waits for as long as that, or throws.
    package func locked<Value>(
        waiting: Bool = true,
        _ body: () throws(FileError) -> Value,
    ) throws(FileError) -> Value {
        while flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { throw failure("lock") }
        }
        defer { flock(descriptor, LOCK_UN) }
        return try body()
    }

    /// Writes the folder's entries to the disk, so that they survive a crash of the machine.
    package func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw failure("write to the disk") }
    }

    /// Returns the disk's free space for this user and its size, in bytes.
    package func diskSpace() throws(FileError) -> (free: Int, size: Int) {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { throw failure("examine the disk of") }
        let block = Int(status.f_frsize)
        return (Int(status.f_bavail) * block, Int(status.f_blocks) * block)
    }

    /// Returns all names except `.` and `..`, each with its kind as `readdir` or `fstatat` reports it.
    package func entries() throws(FileError) -> [(name: [UInt8], kind: mode_t)] {
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else { throw failure("read the folder") }
        defer { unsafe closedir(stream) }
        var entries: [(name: [UInt8], kind: mode_t)] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            guard name != Array(".".utf8), name != Array("..".utf8) else { continue }
            // DT_… are the bits of S_IF…, shifted (dirent.h).
            let type = unsafe mode_t(entry.pointee.d_type) << 12
            entries.append((name, type == 0 ? (status(of: name)?.st_mode ?? 0) & S_IFMT : type))
            errno = 0
        }
        guard errno == 0 else { throw failure("read the folder") }
        return entries
    }

    /// The names in this folder as text, without `.` and `..`; empty if the folder cannot be read.
    package var names: [String] {
        ((try? entries()) ?? []).map { String(decoding: $0.name, as: UTF8.self) }
    }

    /// Returns the path of an entry, for messages.
    package func path(of name: some Collection<UInt8>) -> String { "\(path)/\(String(decoding: name, as: UTF8.self))" }

    private var isPrivate: Bool { access == .thisUser }

    /// Returns the status of an open file. Closes it and throws if it is not a file that this folder may have.
    private func checked(_ file: Int32, _ name: some Collection<UInt8>) throws(FileError) -> stat {
        do throws(FileError) {
            var status = stat()
            guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw FileError("open", path(of: name), EINVAL, remedy: remedy(for: EINVAL))
            }
            if isPrivate { try Ownership.check(file: status, at: path(of: name)) }
            return status
        } catch {
            close(file)
            throw error
        }
    }

    /// Returns `name` as a C string. Throws if it is not the name of one entry.
    private func entry(_ name: some Collection<UInt8>) throws(FileError) -> [CChar] {
        let isPlain = !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
        guard isPlain, !name.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
            throw FileError("open", path(of: name), EINVAL, remedy: remedy(for: EINVAL))
        }
        return name.map { CChar(bitPattern: $0) } + [0]
    }

    /// Returns the error of the last system call on this folder, or on its entry `name`.
    private func failure(_ operation: String, _ name: (some Collection<UInt8>)? = String.UTF8View?.none) -> FileError {
        let code = errno
        return FileError(operation, name.map { path(of: $0) } ?? path, code, remedy: remedy(for: code))
    }

    private func remedy(for code: Int32) -> String? { option.map { FileError.remedy(for: code, option: $0) } }

    /// Returns the absolute path without a trailing slash or dot, because both would follow a link.
    static func absolutePath(_ path: String) -> String? {
        var components = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        if !path.hasPrefix("/") {
            guard let current = unsafe getcwd(nil, 0) else { return nil }
            defer { unsafe free(current) }
            components = unsafe String(cString: current).split(separator: "/").map(String.init) + components
        }
        return "/" + components.joined(separator: "/")
    }
}
