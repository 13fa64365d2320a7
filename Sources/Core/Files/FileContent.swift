package import Base
package import Glibc

/// Functions that read and write the contents of open files.
package enum FileContent {
    /// The buffer size in bytes. It is small enough to reuse memory: new pages would cost more than the copying.
    private static let blockSize = 65_536

    /// Copies the first bytes of one file to another, and returns their SHA-256 in lowercase hexadecimal. Errors of
    /// writing say `name`.
    package static func copy(
        _ byteCount: Int,
        from source: Int32,
        to target: Int32,
        named name: String,
    ) throws(FileError) -> String {
        let hash = SHA256()
        try unsafe read(0..<byteCount, from: source, orThrow: \.self) { bytes, _ throws(FileError) in
            unsafe hash.update(bytes)
            try unsafe write(bytes, to: target, named: name)
        }
        return Hexadecimal.text(hash.finish())
    }

    /// Returns the SHA-256 of the first bytes of a file, in lowercase hexadecimal.
    package static func sha256(_ byteCount: Int, of source: Int32) throws(FileError) -> String {
        let hash = SHA256()
        try unsafe read(0..<byteCount, from: source, orThrow: \.self) { bytes, _ throws(FileError) in
            unsafe hash.update(bytes)
        }
        return Hexadecimal.text(hash.finish())
    }

    /// Reads a part of a file block by block. Passes each block and its offset in the file to a closure.
    package static func read<Failure: Error>(
        _ range: Range<Int>,
        from source: Int32,
        orThrow failure: (FileError) -> Failure,
        _ take: (UnsafeRawBufferPointer, Int) throws(Failure) -> Void,
    ) throws(Failure) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
        defer { unsafe block.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = min(blockSize, range.upperBound - offset)
            let count = unsafe pread(source, block.baseAddress, wanted, off_t(offset))
            guard count > 0 else { throw failure(FileError("read", "a file", count < 0 ? errno : EIO)) }
            try unsafe take(UnsafeRawBufferPointer(rebasing: block[..<count]), offset)
            offset += count
        }
    }

    /// Writes all of `bytes` to a file, which errors call `name`.
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to target: Int32,
        named name: String,
    ) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe Glibc.write(target, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", name) }
            written += count
        }
    }

    /// Writes all of `bytes` to a file, which errors call `name`.
    package static func write(_ bytes: [UInt8], to target: Int32, named name: String) throws(FileError) {
        try unsafe bytes.span.withUnsafeBytes { bytes throws(FileError) in
            try unsafe write(bytes, to: target, named: name)
        }
    }

    /// Returns the whole text of a file.
    package static func readAllText(_ file: Int32) throws(FileError) -> String {
        var text: [UInt8] = []
        var block = [UInt8](repeating: 0, count: blockSize)
        while true {
            let count = unsafe pread(file, &block, block.count, off_t(text.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", "a text file") }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += block[..<count]
        }
    }

    /// Writes a file's content to the disk, so that it survives a crash of the machine. Errors say `name`.
    package static func sync(_ file: Int32, named name: String) throws(FileError) {
        guard fsync(file) == 0 else { throw FileError("write to the disk", name) }
    }

    /// Sets a file's modification time and writes the file to the disk. Errors say `name`.
    package static func finish(_ file: Int32, named name: String, changed time: UnixTime) throws(FileError) {
        guard unsafe futimens(file, [time.fileTime, time.fileTime]) == 0 else {
            throw FileError("set the time of", name)
        }
        try sync(file, named: name)
    }
}

// MARK: - Open files

/// An open regular file. Its descriptor closes with the last reader.
package final class OpenedFile: Sendable {
    package let descriptor: Int32
    package let size: Int

    package init?(_ path: String) {
        // Opens without blocking, so that a named pipe cannot stop the process.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        let isFile = unsafe descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        // The object is complete, so `deinit` closes the descriptor.
        if !isFile { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

// MARK: - Identity and version

/// The identity of a file or folder, independent of its names.
package struct FileIdentity: Sendable, Equatable {
    private let device: dev_t
    private let number: ino_t

    package init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
}

/// The state of a file that changes with every write, and when another file takes its name.
package struct FileVersion: Sendable, Equatable {
    private let identity: FileIdentity
    private let size: Int
    private let times: [Int]

    package init(_ status: stat) {
        identity = FileIdentity(status)
        size = Int(status.st_size)
        times = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}

extension UnixTime {
    /// The time as system calls take it.
    var fileTime: timespec { timespec(tv_sec: seconds, tv_nsec: nanoseconds) }
}
