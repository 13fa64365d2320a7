import Media
import Support
import Testing

@Suite("The recognition of a format behind a tag")
struct FormatRecognitionTests {
    private static let mp3: [UInt8] = [0xFF, 0xFB, 0x90, 0x64]
    private static let adts: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC]
    private static let flac = Array("fLaC".utf8) + [0, 0, 0, 34]

    private static func tag(_ byteCount: Int, hasFooter: Bool = false) -> [UInt8] {
        let size = (0..<4).map { UInt8(byteCount >> (7 * (3 - $0)) & 0x7F) }
        let footer = hasFooter ? Array("3DI".utf8) + [4, 0, 0x10] + size : []
        return Array("ID3".utf8) + [4, 0, hasFooter ? 0x10 : 0] + size + [UInt8](repeating: 1, count: byteCount)
            + footer
    }

    /// Returns the format, and the ranges that were looked at.
    private func recognize(_ bytes: [UInt8]) -> (format: MediaFormat?, ranges: [Range<Int>]) {
        var recognition = FormatRecognition()
        var ranges = [FormatRecognition.firstRange]
        while true {
            let range = ranges[ranges.count - 1].clamped(to: 0..<bytes.count)
            switch recognition.take(Array(bytes[range]).span) {
            case .recognized(let format): return (format, ranges)
            case .looksAt(let next): ranges.append(next)
            }
        }
    }

    @Test(
        "is the format that stands there, however long the tag is",
        arguments: [(mp3, MediaFormat.mp3), (adts, .aac), (flac, .flac)],
        [0, 40, 501, 502, 503, 90_000, 3_000_000],
    )
    func behindTag(sound: (bytes: [UInt8], format: MediaFormat), byteCount: Int) {
        let rest = sound.bytes + [UInt8](repeating: 9, count: 600)
        for hasFooter in [false, true] {
            #expect(recognize(Self.tag(byteCount, hasFooter: hasFooter) + rest).format == sound.format)
            #expect(recognize(Self.tag(byteCount, hasFooter: hasFooter) + Self.tag(7) + rest).format == sound.format)
        }
        let zeros = [UInt8](repeating: 0, count: 777)
        if sound.format != .flac { #expect(recognize(Self.tag(byteCount) + zeros + rest).format == sound.format) }
    }

    @Test("is MP3 behind zero bytes, up to 64 KiB of them", arguments: [1, 4, 500, 511, 512, 513, 5000, 65_000])
    func zeros(count: Int) {
        let rest = Self.mp3 + [UInt8](repeating: 9, count: 600)
        #expect(recognize([UInt8](repeating: 0, count: count) + rest).format == .mp3)
        #expect(recognize([UInt8](repeating: 0, count: count) + Self.tag(300) + rest).format == .mp3)
        #expect(recognize([UInt8](repeating: 0, count: count) + Self.tag(9)).format == .mp3)
        #expect(recognize([UInt8](repeating: 0, count: count)).format == nil)
    }

    @Test("is nothing behind more zero bytes, and does not look for ever")
    func manyZeros() {
        let (format, ranges) = recognize([UInt8](repeating: 0, count: 1_000_000) + Self.mp3)
        #expect(format == nil && ranges.count < 140)
    }

    @Test("is MP3 if the tag is all that there is, or if many follow")
    func tagsOnly() {
        #expect(recognize(Self.tag(4000)).format == .mp3)
        #expect(recognize(Array(Self.tag(4000).prefix(700))).format == .mp3)
        let (format, ranges) = recognize(Array(repeating: Self.tag(600), count: 50).joined() + Self.flac)
        #expect(format == .mp3 && ranges.count < 8)
    }

    @Test("is no picture or video: only sound has such a tag")
    func soundOnly() {
        #expect(recognize(Self.tag(4000) + [0xFF, 0xD8, 0xFF, 0xE0]).format == .mp3)
        #expect(recognize([UInt8](repeating: 0, count: 4096) + [0xFF, 0xD8, 0xFF, 0xE0]).format == nil)
    }

    @Test(
        "is WAV for its forms with 64-bit sizes, and with the other order of bytes",
        arguments: ["RF64", "BW64"]
    )
    func waves(name: String) {
        #expect(recognize(Array(name.utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("WAVEds64".utf8)).format == .wav)
        #expect(recognize(Array(name.utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("AVI ds64".utf8)).format == nil)
    }

    @Test("finds FLAC in the real file", .needsSharedMedia)
    func realFile() throws {
        #expect(recognize(try SharedMedia.bytes("found/media__bear_with_id3.flac")).format == .flac)
    }
}
