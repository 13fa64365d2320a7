import Foundation
import Media
import Support
import Testing

/// A source with words in a place where no coded sound or picture is.
struct Canary: CustomTestStringConvertible, Sendable {
    static let word = "CANARY-PII"

    var place: String
    /// Makes the source.
    var make: @Sendable () throws -> [UInt8]

    var testDescription: String { place }

    init(_ place: String, _ make: @escaping @Sendable () throws -> [UInt8]) {
        self.place = place
        self.make = make
    }

    static let bytes = Array("\(word) 48.85N 2.35E \(word)".utf8)
}

// MARK: - Sound

extension Canary {
    private static let tone = FFmpeg.input("sine=d=1.5:f=440")

    private static func sound(_ name: String, _ options: [String] = []) throws -> [UInt8] {
        try FFmpeg.make(name, tone + options + ["-fflags", "+bitexact"])
    }

    private static let plainWave = Result { try sound("a.wav") }

    private static let raw: [(String, [String])] = [
        ("mp3", ["-write_xing", "0", "-id3v2_version", "0"]), ("aac", ["-f", "adts"]),
    ]

    /// The places around and between the frames of MP3 and ADTS.
    static let streams: [Canary] = raw.flatMap { name, options in
        let made = Result { try sound("a.\(name)", options) }
        let whole: @Sendable () throws -> [UInt8] = { try made.get() }
        return [
            Canary("\(name): ID3v2 before the sound") { try id3v2 + whole() },
            Canary("\(name): ID3v2 before the sound, twice") { try id3v2 + id3v2 + whole() },
            Canary("\(name): ID3v2 between frames") { try middle(of: whole()) { _ in id3v2 } },
            Canary("\(name): ID3v2 in a frame that is cut") {
                try middle(of: whole()) { Array($0.dropLast(60)) + id3v2 }
            },
            Canary("\(name): foreign bytes between frames") { try middle(of: whole()) { _ in bytes } },
            Canary("\(name): ID3v1") { try whole() + id3v1 },
            Canary("\(name): ID3v1 behind a cut frame") { try whole().dropLast(60) + id3v1 },
            Canary("\(name): ID3v1 that fills up a cut frame") { try whole().dropLast(id3v1.count) + id3v1 },
            Canary("\(name): APEv2") { try whole() + ape(hasHeader: true) },
            Canary("\(name): APEv2 without a header") { try whole() + ape(hasHeader: false) },
            Canary("\(name): APEv2 and ID3v1 behind a cut frame") {
                try whole().dropLast(60) + ape(hasHeader: true) + id3v1
            },
            Canary("\(name): Lyrics3") { try whole() + lyrics + id3v1 },
            Canary("\(name): foreign bytes behind the sound") { try whole() + bytes + bytes },
            Canary("\(name): zeros, then foreign bytes") { try whole() + [UInt8](repeating: 0, count: 3000) + bytes },
        ]
    }

    /// The places in chunks of WAV and AIFF, in blocks of FLAC, and in comments of Ogg.
    static let containers: [Canary] = [
        Canary("wav: LIST before the data") {
            try riff { ("LIST", Array("INFOICMT".utf8) + little(bytes.count) + bytes, $0) }
        },
        Canary("wav: id3 before the data") { try riff { ("id3 ", id3v2, $0) } },
        Canary("wav: bext before the data") { try riff { ("bext", bytes + [UInt8](repeating: 0, count: 600), $0) } },
        Canary("wav: iXML behind the data") { try plainWave.get() + little("iXML", bytes) },
        Canary("wav: extra bytes in fmt") {
            var wave = try plainWave.get()
            wave.replaceSubrange(16..<20, with: little(18 + bytes.count))
            wave.insert(contentsOf: [UInt8(bytes.count), 0] + bytes, at: 36)
            wave.replaceSubrange(4..<8, with: little(wave.count - 8))
            return wave
        },
        Canary("wav: bytes behind its end") { try plainWave.get() + bytes },
        Canary("aiff: NAME, AUTH, ANNO and ID3") {
            var file = try sound("a.aif")
            for type in ["NAME", "AUTH", "ANNO", "ID3 "] {
                file += Array(type.utf8) + big(bytes.count + bytes.count % 2) + bytes
                if bytes.count % 2 == 1 { file.append(0) }
            }
            file.replaceSubrange(4..<8, with: big(file.count - 8))
            return file
        },
        Canary("aiff: little-endian samples, and a comment") {
            let file = try sound("a.aif", ["-c:a", "pcm_s16be", "-metadata", "comment=\(word)"])
            return file + Array("ANNO".utf8) + big(bytes.count) + bytes
        },
        Canary("flac: comments and an application block") {
            let file = try sound("a.flac", ["-metadata", "comment=\(word)"])
            // Behind the first block, which must be the stream's description.
            let block = [2, 0, 0, UInt8(4 + bytes.count)] + Array("CNRY".utf8) + bytes
            return Array(file[0..<42]) + block + Array(file[42...])
        },
        Canary("flac: ID3v2 before it, and ID3v1 behind it") { try id3v2 + sound("a.flac") + id3v1 },
        Canary("ogg: comments of Vorbis") {
            try sound("a.ogg", ["-c:a", "libvorbis", "-metadata", "comment=\(word)"])
        },
        Canary("ogg: comments of Opus") { try sound("a.opus", ["-c:a", "libopus", "-metadata", "comment=\(word)"]) },
    ]

    static let id3v1 =
        Array("TAG\(word)TITLE".utf8) + [UInt8](repeating: 0, count: 15) + Array("\(word)ARTIST".utf8)
        + [UInt8](repeating: 32, count: 79)

    static let id3v2: [UInt8] = {
        let frame = Array("TIT2".utf8) + big(bytes.count + 1) + [0, 0, 0] + bytes
        return Array("ID3".utf8) + [3, 0, 0] + big(frame.count) + frame
    }()

    private static let lyrics: [UInt8] = {
        let text = "LYRICSBEGININD0000200LYR000\(bytes.count)" + String(decoding: bytes, as: UTF8.self)
        return Array("\(text)000\(100 + text.utf8.count % 100)LYRICS200".utf8)
    }()

    private static func ape(hasHeader: Bool) -> [UInt8] {
        let item = little(bytes.count) + [0, 0, 0, 0] + Array("Comment\0".utf8) + bytes
        func edge(_ flags: UInt8) -> [UInt8] {
            Array("APETAGEX".utf8) + little(2000) + little(item.count + 32) + little(1) + [0, 0, 0, flags]
                + [UInt8](repeating: 0, count: 8)
        }
        return (hasHeader ? edge(0xA0) : []) + item + edge(hasHeader ? 0x80 : 0)
    }

    /// Puts bytes between two frames near the middle. `change` gets the frame before.
    private static func middle(of stream: [UInt8], _ change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        let starts = stream.indices.dropLast(2).filter {
            stream[$0] == stream[0] && stream[$0 + 1] == stream[1] && stream[$0 + 2] & 0xFC == stream[2] & 0xFC
        }
        let next = try #require(starts.first { $0 > stream.count / 2 })
        let frame = try #require(starts.last { $0 < next })
        let changed = change(Array(stream[frame..<next]))
        let isWhole = !changed.starts(with: stream[frame..<frame + 8])
        return stream[..<(isWhole ? next : frame)] + changed + stream[next...]
    }

    /// Puts a chunk before the data of a WAV file. The closure returns its type and content.
    private static func riff(_ chunk: ([UInt8]) -> (String, [UInt8], [UInt8])) throws -> [UInt8] {
        let (type, content, wave) = chunk(try plainWave.get())
        let data = try #require(wave.firstRange(of: Array("data".utf8))).lowerBound
        var file = wave[..<data] + little(type, content) + wave[data...]
        file.replaceSubrange(4..<8, with: little(file.count - 8))
        return Array(file)
    }

    private static func little(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Array(type.utf8) + little(content.count) + content + (content.count % 2 == 1 ? [0] : [])
    }

    static func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    static func big(_ number: Int) -> [UInt8] { little(number).reversed() }
}
