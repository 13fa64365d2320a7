import DecoderWire
import Media
import Support
import Testing

@Suite("Encrypted clips", .needsFFmpeg, .timeLimit(.minutes(10)))
struct EncryptionTests {
    private static let picture = FFmpeg.input("testsrc=s=320x240:d=2:r=25")
    private static let sound = FFmpeg.input("sine=d=2")
    private static let encoding = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac"]
    private static let encryption = [
        "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "76a6c65c5ea762046bd749a2e632ccbb",
        "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8",
    ]

    @Test(
        "are refused, and the cause is given",
        arguments: [(sound, "a.m4a"), (picture, "a.mp4"), (picture + sound, "b.mp4")],
        [Set(Rung.allCases), [.poster], [.copied], [.transcoded]],
    )
    func refuses(source: (inputs: [String], name: String), rungs: Set<Rung>) throws {
        // Sound has no poster, so its packets are not even read for one.
        guard rungs != [.poster] || !source.name.hasSuffix(".m4a") else { return }
        let bytes = try FFmpeg.make(source.name, source.inputs + Self.encoding + Self.encryption)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(MemorySource(bytes), #require(sniffed), rungs: rungs)
        #expect(output.emitted.isEmpty)
        #expect(failure?.reason == .unsupportedFormat && failure?.cause == .encryption)
    }

    @Test(
        "are refused in the forms of Apple's stores, and without the box that describes the scheme",
        arguments: [("avc1", "encv"), ("avc1", "drmi"), ("mp4a", "enca"), ("mp4a", "drms")],
    )
    func types(plain: String, encrypted: String) throws {
        var bytes = try FFmpeg.make("a.mp4", Self.picture + Self.sound + Self.encoding)
        let entry = try #require(bytes.firstRange(of: Array("stsd".utf8)))
        let type = try #require(bytes[entry.upperBound...].firstRange(of: Array(plain.utf8) + [0, 0, 0, 0, 0, 0]))
        bytes.replaceSubrange(type.prefix(4), with: Array(encrypted.utf8))
        let (output, failure) = try transform(MemorySource(bytes), .mp4)
        #expect(output.emitted.isEmpty && failure?.cause == .encryption)
    }

    @Test("are refused too if they do not say so, because the copy's first frame cannot be decoded")
    func hidden() throws {
        var bytes = try FFmpeg.make("a.mp4", Self.picture + Self.encoding)
        let data = try #require(bytes.firstRange(of: Array("mdat".utf8))).upperBound
        // Behind the first slice's header, as encryption of a part of each unit leaves it (ISO/IEC 23001-7, 9.5).
        let slice = try #require(bytes[data...].firstRange(of: [0x65, 0x88])).upperBound
        var random: UInt64 = 17
        for offset in slice + 16..<slice + 2000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[offset] = UInt8(truncatingIfNeeded: random >> 40)
        }
        let (output, failure) = try transform(MemorySource(bytes), .mp4, rungs: [.copied])
        #expect(output.emitted.isEmpty && failure?.reason == .corrupt)
    }
}
