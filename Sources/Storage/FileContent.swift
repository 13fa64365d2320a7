import CCrypto
import Glibc

/// Reads and writes whole contents of open files.
enum FileContent {
    private static let blockSize = 262_144

    /// Copies the first bytes of one file to another, and gives their SHA-256 in lowercase hexadecimal.
    static func copy(_ byteCount: Int, from source: Int32, to target: Int32) throws(StoreError) -> String {
        guard let context = unsafe EVP_MD_CTX_new() else { throw StoreError("hash", "", ENOMEM) }
        defer { unsafe EVP_MD_CTX_free(context) }
        unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
        defer { unsafe block.deallocate() }

        var copied = 0
        while copied < byteCount {
            let wanted = min(blockSize, byteCount - copied)
            let count = unsafe pread(source, block.baseAddress, wanted, off_t(copied))
            guard count > 0 else { throw StoreError("read", "output", count < 0 ? errno : EIO) }
            unsafe EVP_DigestUpdate(context, block.baseAddress, count)
            try unsafe write(UnsafeRawBufferPointer(rebasing: block[..<count]), to: target)
            copied += count
        }
        return unsafe digest(of: context)
    }

    /// Writes all of `bytes`.
    static func write(_ bytes: UnsafeRawBufferPointer, to target: Int32) throws(StoreError) {
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

    /// A small file's text, up to 4 kB of it.
    static func readText(_ file: Int32) throws(StoreError) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw StoreError("read", "text") }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Makes a file's content last, whatever happens to the machine.
    static func sync(_ file: Int32) throws(StoreError) {
        guard fsync(file) == 0 else { throw StoreError("fsync", "attachment") }
    }

    /// Says when the file was changed, and makes it last.
    static func finish(_ file: Int32, changed time: UnixTime) throws(StoreError) {
        guard unsafe futimens(file, [time.fileTime, time.fileTime]) == 0 else {
            throw StoreError("futimens", "attachment")
        }
        try sync(file)
    }

    private static func digest(of context: OpaquePointer) -> String {
        let digest = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 0
            unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            count = Int(length)
        }
        return Hexadecimal.text(digest)
    }
}
