package import Base
import CCrypto

/// SHA-256 (FIPS 180-4), fed piece by piece.
@safe
package struct SHA256: ~Copyable {
    private let context: OpaquePointer

    package init() {
        guard let context = unsafe EVP_MD_CTX_new() else {
            preconditionFailure("libcrypto could not allocate memory for SHA-256")
        }
        unsafe self.context = context
        unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Returns the 32 bytes of the digest. Nothing may be fed to it afterwards.
    package func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 0
            unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            count = Int(length)
        }
    }

    /// Returns the digest of a few bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        let hash = SHA256()
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        return hash.finish()
    }
}

// MARK: - Keyed hashes

/// HMAC-SHA256 (RFC 2104).
package enum KeyedHash {
    /// The length of a shortened code in bytes: 128 bits cannot be guessed, and are short in a URL.
    package static let byteCount = 16

    /// Returns the first 128 bits of the code of `text` under `key`.
    package static func make(_ text: String, key: Secret<[UInt8]>) -> [UInt8] {
        Array(whole(Array(text.utf8), key: key).prefix(byteCount))
    }

    /// Returns the code of `message` under `key`: 32 bytes.
    package static func whole(_ message: [UInt8], key: Secret<[UInt8]>) -> [UInt8] {
        let key = key.revealed
        return unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 0
            let done = unsafe HMAC(
                EVP_sha256(),
                key,
                Int32(key.count),
                message,
                message.count,
                buffer.baseAddress,
                &length
            )
            precondition(unsafe done != nil, "libcrypto has no HMAC-SHA256")
            count = Int(length)
        }
    }

    /// Compares two values in a time that does not reveal where they differ.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
