import Glibc

/// An open folder. Files below it are opened from its descriptor, name by name, without following links.
package final class Folder: Sendable {
    /// The path that the user gave, for messages.
    package let path: String
    let descriptor: Int32

    private init(path: String, adopting descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens a folder by the user's path. Follows links.
    package static func open(_ path: String) throws(FileError) -> Folder {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", path) }
        return Folder(path: path, adopting: descriptor)
    }

    /// Opens the folder at `path` below this one. If `creating`, creates it and its parents.
    func folder(at path: RelativePath, creating: Bool = false) throws(FileError) -> Folder {
        var folder = self
        for name in path.components { folder = try folder.folder(named: name, creating: creating) }
        return folder
    }

    private func folder(named name: [UInt8], creating: Bool) throws(FileError) -> Folder {
        let path = path(of: name)
        if creating, unsafe mkdirat(descriptor, name.cString, 0o777) != 0, errno != EEXIST {
            throw FileError("create the folder", path)
        }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let child = unsafe openat(descriptor, name.cString, flags)
        guard child >= 0 else { throw FileError("open the folder", path) }
        return Folder(path: path, adopting: child)
    }

    /// Opens a file for reading without blocking, so that a named pipe cannot delay the batch. The caller closes it.
    func openFile(_ name: [UInt8]) throws(FileError) -> (descriptor: Int32, status: stat) {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = unsafe openat(descriptor, name.cString, flags)
        guard file >= 0 else { throw FileError("open", path(of: name)) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw FileError("open", path(of: name), EINVAL)
        }
        return (file, status)
    }

    /// Opens one of the batch's own files for reading and appending, or creates it. The caller closes it.
    func openForAppending(_ name: String) throws(FileError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(descriptor, name, flags, 0o666)
        guard file >= 0 else { throw FileError("open", path(of: Array(name.utf8))) }
        return file
    }

    /// Creates an empty file for writing, in place of a file left by a crash. The caller closes it.
    func createFile(_ name: String) throws(FileError) -> Int32 {
        unsafe unlinkat(descriptor, name, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(descriptor, name, flags, 0o666)
        guard file >= 0 else { throw FileError("create", path(of: Array(name.utf8))) }
        return file
    }

    /// Moves a file to `other`. Atomically replaces a file that has the new name.
    func move(_ name: [UInt8], to other: Folder, as newName: [UInt8]) throws(FileError) {
        guard unsafe renameat(descriptor, name.cString, other.descriptor, newName.cString) == 0 else {
            throw FileError("move a file to", other.path(of: newName))
        }
    }

    func remove(_ name: [UInt8]) { unsafe unlinkat(descriptor, name.cString, 0) }

    /// Returns the status of an entry without following links, or `nil` if it does not exist.
    func status(of name: [UInt8]) -> stat? {
        var status = stat()
        return unsafe fstatat(descriptor, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Writes the folder's entries to the disk, so that they survive a crash of the machine.
    func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError("write to the disk", path) }
    }

    /// Returns all names except `.` and `..`, each with its kind as `readdir` or `fstatat` reports it.
    func entries() throws(FileError) -> [(name: [UInt8], kind: mode_t)] {
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else { throw FileError("read the folder", path) }
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
        guard errno == 0 else { throw FileError("read the folder", path) }
        return entries
    }

    private func path(of name: [UInt8]) -> String { "\(path)/\(String(decoding: name, as: UTF8.self))" }
}

extension [UInt8] {
    /// The bytes as a C string, with a zero at the end.
    var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}
