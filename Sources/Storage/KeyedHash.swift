import CCrypto

/// HMAC-SHA256 (RFC 2104), cut to 128 bits: enough that nobody can guess a value, and short in a URL.
enum KeyedHash {
    static let byteCount = 16

    /// What `key` makes of `text`.
    static func make(_ text: String, key: [UInt8]) -> [UInt8] {
        let message = Array(text.utf8)
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
            count = byteCount
        }
    }

    /// Whether the two are the same, in a time that doesn't say where they differ.
    static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
