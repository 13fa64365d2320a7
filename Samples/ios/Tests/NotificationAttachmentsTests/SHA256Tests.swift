import CryptoKit
import Foundation
import Testing

@Suite("The stand-in for CryptoKit")
struct SHA256Tests {
    @Test(
        "computes the digests of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func examples(text: String, digest: String) {
        var hash = SHA256()
        hash.update(data: Data(text.utf8))
        #expect(hash.finalize().map { String(format: "%02x", $0) }.joined() == digest)
    }

    @Test("computes the same digest in pieces of any size", arguments: [1, 7, 63, 64, 65, 1000])
    func pieces(size: Int) {
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var whole = SHA256()
        whole.update(data: bytes)
        var parts = SHA256()
        for start in stride(from: 0, to: bytes.count, by: size) {
            parts.update(data: bytes[start..<min(start + size, bytes.count)])
        }
        #expect(Array(parts.finalize()) == Array(whole.finalize()))
    }
}
