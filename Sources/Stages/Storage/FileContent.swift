import Digests
import Glibc
import Timing

/// Reads and writes whole contents of open files.
package enum FileContent {
    /// Small enough for memory that was used before: new pages would cost more than the copying.
    private static let blockSize = 65_536

    /// Copies the first bytes of one file to another, and gives their SHA-256 in lowercase hexadecimal.
    package static func copy(_ byteCount: Int, from source: Int32, to target: Int32) throws(StoreError) -> String {
        let hash = SHA256()
        try unsafe read(0..<byteCount, from: source, orThrow: \.self) { bytes, _ throws(StoreError) in
            unsafe hash.update(bytes)
            try unsafe write(bytes, to: target)
        }
        return Hexadecimal.text(hash.finish())
    }

    /// The SHA-256 of the first bytes of a file, in lowercase hexadecimal.
    package static func sha256(_ byteCount: Int, of source: Int32) throws(StoreError) -> String {
        let hash = SHA256()
        try unsafe read(0..<byteCount, from: source, orThrow: \.self) { bytes, _ throws(StoreError) in
            unsafe hash.update(bytes)
        }
        return Hexadecimal.text(hash.finish())
    }

    /// Hands over a part of a file, block by block, each with its place in the file.
    package static func read<Failure: Error>(
        _ range: Range<Int>,
        from source: Int32,
        orThrow failure: (StoreError) -> Failure,
        _ take: (UnsafeRawBufferPointer, Int) throws(Failure) -> Void,
    ) throws(Failure) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
        defer { unsafe block.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = min(blockSize, range.upperBound - offset)
            let count = unsafe pread(source, block.baseAddress, wanted, off_t(offset))
            guard count > 0 else { throw failure(StoreError("read", "file", count < 0 ? errno : EIO)) }
            try unsafe take(UnsafeRawBufferPointer(rebasing: block[..<count]), offset)
            offset += count
        }
    }

    /// Writes all of `bytes`.
    package static func write(_ bytes: UnsafeRawBufferPointer, to target: Int32) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe Glibc.write(target, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StoreError("write", "attachment") }
            written += count
        }
    }

    static func write(_ text: String, to target: Int32) throws(StoreError) {
        let bytes = Array(text.utf8)
        try unsafe bytes.span.withUnsafeBytes { bytes throws(StoreError) in try unsafe write(bytes, to: target) }
    }

    /// The whole text of a file.
    static func readAllText(_ file: Int32) throws(StoreError) -> String {
        var text: [UInt8] = []
        var block = [UInt8](repeating: 0, count: blockSize)
        while true {
            let count = unsafe pread(file, &block, block.count, off_t(text.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError("read", "text") }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += block[..<count]
        }
    }

    /// Makes a file's content last, whatever happens to the machine.
    package static func sync(_ file: Int32) throws(StoreError) {
        guard fsync(file) == 0 else { throw StoreError("fsync", "attachment") }
    }

    /// Says when the file was changed, and makes it last.
    static func finish(_ file: Int32, changed time: UnixTime) throws(StoreError) {
        guard unsafe futimens(file, [time.fileTime, time.fileTime]) == 0 else {
            throw StoreError("futimens", "attachment")
        }
        try sync(file)
    }
}
