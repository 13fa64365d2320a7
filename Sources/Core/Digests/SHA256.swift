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
