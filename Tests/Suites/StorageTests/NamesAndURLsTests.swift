import Base
import Files
import Media
import Testing

@testable import Storage

@Suite("Names and signed URLs")
struct NamesAndURLsTests {
    let identifier = AttachmentIdentifier(sha256: "ab", format: .jpeg, key: Secret([1, 2, 3]))
    static let key = "0123456789abcdefghijklmnopqrstuv"
    static let newKey = "vutsrqponmlkjihgfedcba9876543210"

    private func signer(_ text: String) throws -> URLSigner { URLSigner(keys: try #require(SigningKeys(text))) }

    // Computed with Python's hmac.
    @Test("a posted body is signed so that its receiver can check it")
    func posted() throws {
        let keys = try #require(SigningKeys("\(Self.key)\n\(Self.newKey)"))
        let signature = MessageSigner(keys: keys).signature(of: Array("{}".utf8), at: UnixTime(seconds: 1_700_000_000))
        #expect(signature == "t=1700000000,v1=00c53f1a7bd579520c6f65d77d1b8299a19de4ef5ef1974a87752a6a58c9517a")
    }

    // RFC 4648, section 10, and RFC 4231, section 4.2: the first half of the digest.
    @Test("the alphabets and the hash are those of their RFCs")
    func vectors() {
        #expect(Base32.encode(Array("foobar".utf8)).hasPrefix("mzxw6ytboi"))
        #expect(Base32.encode([UInt8](repeating: 255, count: 16)) == String(repeating: "7", count: 25) + "4")
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE, 0x66, 0x6F]) == "-__-Zm8")
        let hash = KeyedHash.make("Hi There", key: Secret([UInt8](repeating: 0x0B, count: 20)))
        #expect(
            hash == [0xB0, 0x34, 0x4C, 0x61, 0xD8, 0xDB, 0x38, 0x53, 0x5C, 0xA8, 0xAF, 0xCE, 0xAF, 0x0B, 0xF1, 0x2B]
        )
    }

    @Test("every format has a name that can be parsed", arguments: MediaFormat.allCases)
    func readsBack(format: MediaFormat) throws {
        let identifier = AttachmentIdentifier(sha256: "ab", format: format, key: Secret([1]))
        let read = try #require(AttachmentIdentifier(identifier.description))
        #expect(read.description.count == 26 + 1 + format.filenameExtension.count)
        #expect(read == identifier)
    }

    static let name = String(repeating: "a", count: 26)

    @Test(
        "any other text is not a name",
        arguments: [
            "", ".", "..", "../..", "a.jpg", name, name + ".", name + ".exe", name + ".jpg.jpg", name + ".JPG",
            name + "a.jpg",
            "../" + name + ".jpg", name + ".jpg/", "%2f" + name + ".jpg", name + "\u{0}.jpg", name + ".jpg\u{0}",
            name.uppercased() + ".jpg", String(name.dropLast()) + "1.jpg", String(repeating: "a", count: 4096) + ".jpg",
            String(name.dropLast()) + "é.jpg", String(name.dropLast()) + "ａ.jpg",
        ],
    )
    func noName(text: String) { #expect(AttachmentIdentifier(text) == nil) }

    @Test("a URL contains name, expiry and signature, and the short one the same in 36 characters less")
    func urls() throws {
        let urls = AttachmentURLs(publicURL: "https://push.example/media/", signer: try signer(Self.key))
        let url = urls.url(of: identifier, expires: 1_800_000_000)
        let short = urls.shortURL(of: identifier, expires: 1_800_000_000)
        let signature = try signer(Self.key).signature(of: identifier, expires: 1_800_000_000)
        #expect(
            url == "https://push.example/media/v1/attachments/\(identifier)?expires=1800000000&signature=\(signature)"
        )
        #expect(url.count - short.count == 36 && short.hasPrefix("https://push.example/media/a/\(identifier)?"))
        let token = try #require(ShortToken(String(short.suffix(28))))
        #expect(token.expires == 1_800_000_000 && token.signature == signature && signature.count == 22)
    }

    @Test("a signature is valid for its file and its second only, and a change of any character breaks it")
    func tampering() throws {
        let signer = try signer(Self.key)
        let signature = signer.signature(of: identifier, expires: 1_800_000_000)
        let other = AttachmentIdentifier(sha256: "ac", format: .jpeg, key: Secret([1, 2, 3]))
        #expect(signer.verify(signature, of: identifier, expires: 1_800_000_000))
        #expect(!signer.verify(signature, of: other, expires: 1_800_000_000))
        #expect(!signer.verify(signature, of: identifier, expires: 1_800_000_001))
        for index in signature.indices {
            for character in "AQgw9-_z" where character != signature[index] {
                var tampered = signature
                tampered.replaceSubrange(index...index, with: String(character))
                #expect(!signer.verify(tampered, of: identifier, expires: 1_800_000_000))
            }
        }
        for text in ["", "A", signature + "A", signature + "=", String(signature.dropLast())] {
            #expect(!signer.verify(text, of: identifier, expires: 1_800_000_000))
        }
    }

    @Test("during a change of keys, the first line signs and both verify")
    func rotation() throws {
        let (old, both, new) = (
            try signer(Self.key), try signer("\(Self.newKey)\n\(Self.key)\n"), try signer(Self.newKey)
        )
        let (before, after) = (
            old.signature(of: identifier, expires: 1), both.signature(of: identifier, expires: 1)
        )
        #expect(both.verify(before, of: identifier, expires: 1) && both.verify(after, of: identifier, expires: 1))
        #expect(new.verify(after, of: identifier, expires: 1) && !new.verify(before, of: identifier, expires: 1))
    }

    @Test(
        "keys are one or two lines of 32 characters",
        arguments: ["", "short", "\(key)\nshort", "\(key)\n\(key)\n\(key)"]
    )
    func malformedKeys(text: String) { #expect(SigningKeys(text) == nil) }

    @Test(
        "a token of another form is refused",
        arguments: [
            "", "0", "-1aaaaaaaaaaaaaaaaaaaaaa", "+1aaaaaaaaaaaaaaaaaaaaaa", "01aaaaaaaaaaaaaaaaaaaaaa",
            "zzzzzzzzzzzzzaaaaaaaaaaaaaaaaaaaaaa",
        ]
    )
    func malformedToken(text: String) { #expect(ShortToken(text) == nil) }
}
