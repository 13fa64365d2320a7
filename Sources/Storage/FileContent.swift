import CCrypto
import Glibc

/// Copies the first bytes of one file to another, and takes their SHA-256 on the way.
enum FileCopy {
    private static let blockSize = 262_144

    /// Gives the digest in lowercase hexadecimal.
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
        return unsafe finish(context)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to target: Int32) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe Glibc.write(target, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StoreError("write", "attachment") }
            written += count
        }
    }

    private static func finish(_ context: OpaquePointer) -> String {
        let digits = Array("0123456789abcdef")
        let digest = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 0
            unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            count = Int(length)
        }
        return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
