import Media
import Support
import Testing

/// A WAV file, made byte by byte.
struct WaveFile: CustomTestStringConvertible, Sendable {
    var bits = 16
    var isFloat = false
    var sampleCount = 22_050
    var name = "RIFF"

    var testDescription: String { "\(name), \(bits) bits\(isFloat ? ", floating point" : ""), \(sampleCount) samples" }

    var bytes: [UInt8] {
        func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let data = (0..<sampleCount).flatMap { index -> [UInt8] in
            let value = index % 100 < 50 ? 0.25 : -0.25
            if bits == 64 { return number(Int(truncatingIfNeeded: value.bitPattern), 8) }
            if isFloat { return number(Int(Float(value).bitPattern)) }
            return number(Int(value * 32_767) << (bits - 16), bits / 8)
        }
        let format =
            number(isFloat ? 3 : 1, 2) + number(1, 2) + number(22_050) + number(22_050 * bits / 8) + number(bits / 8, 2)
            + number(bits, 2)
        let isLong = name == "RF64" || name == "BW64"
        let sizes =
            Array("ds64".utf8) + number(28) + number(data.count + 72, 8) + number(data.count, 8)
            + number(sampleCount, 8) + number(0)
        return Array(name.utf8) + number(isLong ? -1 : data.count + 36) + Array("WAVE".utf8) + (isLong ? sizes : [])
            + Array("fmt ".utf8) + number(16) + format + Array("data".utf8) + number(isLong ? -1 : data.count) + data
    }

    static let all =
        ["RIFF", "RF64", "BW64"].flatMap { name in
            [WaveFile(name: name), WaveFile(bits: 24, name: name), WaveFile(bits: 32, isFloat: true, name: name)]
        } + [WaveFile(bits: 64, isFloat: true)]
        + [1, 2, 5, 11, 12, 22, 100].flatMap { [WaveFile(sampleCount: $0), WaveFile(bits: 24, sampleCount: $0)] }
}

@Suite("WAV", .timeLimit(.minutes(10)))
struct WaveTests {
    @Test("is delivered in every form, and however short it is", arguments: WaveFile.all)
    func delivers(wave: WaveFile) throws {
        let bytes = wave.bytes
        let sniffed = MediaSniffer.format(of: bytes.span)
        #expect(sniffed == .wav)
        let (output, failure) = try transform(MemorySource(bytes), .wav)
        #expect(failure == nil)
        let clip = try #require(output.last)
        let milliseconds = max(1, wave.sampleCount * 1000 / 22_050)
        let found = try #require(clip.report.durationMilliseconds)
        // A new encoding has whole frames of AAC.
        #expect(found >= 1 && abs(found - milliseconds) <= (clip.report.rung == .copied ? 1 : 60), "\(found)")
        let isCopied = !wave.isFloat && wave.bits == 16
        #expect(clip.report.rung == (isCopied ? .copied : .transcoded))
    }
}
