import Foundation
import Media
import Support
import Testing

// MARK: - Movies

extension Canary {
    private static let inputs = FFmpeg.input("testsrc=s=320x240:d=1.5:r=25", "sine=d=1.5")
    private static let coding = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"]
    private static let tags = [
        "-metadata", "title=\(word)", "-metadata", "comment=\(word)", "-metadata", "location=\(word)",
        "-metadata:s:v", "handler_name=\(word)", "-metadata:s:a", "title=\(word)",
    ]

    private static func movie(
        _ name: String = "a.mp4",
        from more: [String] = [],
        _ options: [String] = [],
    ) throws -> [UInt8] {
        try FFmpeg.make(name, inputs + more + coding + options)
    }

    private static let plainMovie = Result { try movie() }
    private static let plainSound = Result {
        try FFmpeg.make("a.m4a", FFmpeg.input("sine=d=1.5") + ["-c:a", "aac"])
    }

    /// The containers of a box's path in which a box with the word is put.
    private static let paths: [[String]] = [
        [], ["moov"], ["moov", "trak"], ["moov", "trak", "mdia"], ["moov", "trak", "mdia", "minf"],
        ["moov", "trak", "mdia", "minf", "stbl"], ["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"],
    ]

    /// The places in files that are copied as video.
    static let movies: [Canary] =
        ["udta", "free", "skip", "uuid", "meta"].flatMap { type in
            paths.map { path in
                Canary("mp4: \(type) in \(path.joined(separator: "/"))") {
                    try MovieBytes(plainMovie.get()).inserting(box(type), in: path)
                }
            }
        } + [
            Canary("mp4: titles, comments, places, names of handlers") { try movie("a.mp4", tags) },
            Canary("mp4: QuickTime's tags") { try movie("a.mov", tags + ["-movflags", "use_metadata_tags"]) },
            Canary("mp4: chapters") {
                try movie("a.mp4", from: ["-f", "ffmetadata", "-i", chapters.path], ["-map_chapters", "2"])
            },
            Canary("mp4: bytes between the samples") {
                // A data box of its own, which no sample is in.
                try MovieBytes(plainMovie.get()).inserting(
                    Canary.big(8 + bytes.count) + Array("mdat".utf8) + bytes,
                    in: []
                )
            },
            Canary("mp4: messages in the picture's data") {
                try movie(
                    "a.mp4",
                    ["-bsf:v", "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+\(word)"]
                )
            },
            Canary("mp4: units without a meaning in the picture's data") { try withForeignUnits(plainMovie.get()) },
            Canary("matroska: tags, title, and an attachment") {
                try movie("a.mkv", tags + ["-attach", chapters.path, "-metadata:s:t", "mimetype=text/plain"])
            },
            Canary("avi: INFO") { try movie("a.avi", tags) },
            Canary("mpegts: names of programs") {
                try movie("a.ts", ["-metadata", "service_name=\(word)", "-metadata", "service_provider=\(word)"])
            },
        ]

    /// The places in movies with sound only.
    static let sounds: [Canary] =
        [["moov"], ["moov", "trak"], ["moov", "trak", "mdia", "minf", "stbl", "stsd", "mp4a"]].map { path in
            Canary("m4a: uuid in \(path.joined(separator: "/"))") {
                try MovieBytes(plainSound.get()).inserting(box("uuid"), in: path)
            }
        } + [
            Canary("m4a: bytes behind the decoder's configuration") {
                try MovieBytes(plainSound.get()).withLongConfiguration(bytes)
            },
            Canary("mp3 in mp4: tags") {
                try FFmpeg.make("a.mp4", FFmpeg.input("sine=d=1.5") + ["-c:a", "libmp3lame"] + tags)
            },
            Canary("mov: little-endian samples, and tags") {
                try FFmpeg.make("a.mov", FFmpeg.input("sine=d=1.5") + ["-c:a", "pcm_s16le"] + tags)
            },
        ]

    private static func box(_ type: String) -> [UInt8] {
        let identifier = type == "uuid" ? [UInt8](repeating: 7, count: 16) : type == "meta" ? [0, 0, 0, 0] : []
        let content = type == "udta" ? Canary.big(8 + bytes.count) + Array("cnry".utf8) + bytes : bytes
        return Canary.big(8 + identifier.count + content.count) + Array(type.utf8) + identifier + content
    }

    /// A file of chapters, and any text for an attachment.
    private static let chapters: URL = {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "canary-\(ProcessInfo.processInfo.processIdentifier)"
        )
        let text = ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=\(word)\n"
        try? Data(text.utf8).write(to: url)
        return url
    }()

    /// Puts filler (type 12) and units of reserved types before the first picture: as a new
    /// sample of which they are the beginning.
    private static func withForeignUnits(_ movie: [UInt8]) throws -> [UInt8] {
        let types: [UInt8] = [0x0C, 0x18, 0x1F]
        let units = types.flatMap { type -> [UInt8] in Canary.big(bytes.count + 1) + [type] + bytes }
        return try MovieBytes(movie).withLongerFirstSample(units)
    }
}

/// A movie whose index stands at its end, and boxes put into it.
struct MovieBytes {
    private var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the movie with `box` at the end of the innermost container of a path, and all sizes on the way.
    func inserting(_ box: [UInt8], in path: [String]) throws -> [UInt8] {
        let (end, sizes) = try find(path)
        var result = bytes
        result.insert(contentsOf: box, at: end)
        for offset in sizes { Self.add(box.count, at: offset, in: &result) }
        return result
    }

    /// Returns the movie with `extra` in the decoder's configuration of AAC (ISO/IEC 14496-1, 7.2.6), which has sizes of
    /// seven bits.
    func withLongConfiguration(_ extra: [UInt8]) throws -> [UInt8] {
        let path = ["moov", "trak", "mdia", "minf", "stbl", "stsd", "mp4a", "esds"]
        let (end, sizes) = try find(path)
        let start = try #require(sizes.last) + 12
        var result = bytes
        // The descriptors 3, 4 and 5 lie in each other; libav writes their sizes in four bytes.
        for offset in start..<end - 5 where [3, 4, 5].contains(bytes[offset]) && bytes[offset + 1] == 0x80 {
            result[offset + 4] += UInt8(extra.count)
        }
        let configuration = try #require(bytes[start..<end].firstRange(of: [5, 0x80, 0x80, 0x80]))
        let inside = configuration.upperBound + 1 + Int(bytes[configuration.upperBound])
        result.insert(contentsOf: extra, at: inside)
        for offset in sizes { Self.add(extra.count, at: offset, in: &result) }
        return result
    }

    /// Returns the movie with `extra` at the start of the first video sample, and with all offsets behind it.
    func withLongerFirstSample(_ extra: [UInt8]) throws -> [UInt8] {
        var result = bytes
        let data = try #require(bytes.firstRange(of: Array("mdat".utf8))).lowerBound - 4
        let first = try #require(bytes.firstRange(of: Array("stco".utf8))).upperBound + 8
        let start = Self.number(bytes, first)
        let sizes = try #require(bytes.firstRange(of: Array("stsz".utf8))).upperBound + 12
        Self.add(extra.count, at: sizes, in: &result)
        var search = bytes.startIndex
        while let found = bytes[search...].firstRange(of: Array("stco".utf8)) {
            for index in 0..<Self.number(bytes, found.upperBound + 4) {
                let offset = found.upperBound + 8 + 4 * index
                if Self.number(bytes, offset) > start { Self.add(extra.count, at: offset, in: &result) }
            }
            search = found.upperBound
        }
        Self.add(extra.count, at: data, in: &result)
        result.insert(contentsOf: extra, at: start)
        return result
    }

    /// Returns the end of the innermost box of a path, and the offsets of the sizes of all of them.
    private func find(_ path: [String]) throws -> (end: Int, sizes: [Int]) {
        var range = 0..<bytes.count
        var sizes: [Int] = []
        for type in path {
            let start = try #require(box(type, in: range))
            sizes.append(start)
            let header = ["stsd": 16, "avc1": 86, "mp4a": 36][type] ?? 8
            range = start + header..<start + Self.number(bytes, start)
        }
        return (range.upperBound, sizes)
    }

    /// Returns the offset of the first box of that type. The first track is that of the pictures.
    private func box(_ type: String, in range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound {
            if bytes[offset + 4..<offset + 8].elementsEqual(type.utf8) { return offset }
            let size = Self.number(bytes, offset)
            guard size >= 8 else { return nil }
            offset += size
        }
        return nil
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func add(_ count: Int, at offset: Int, in bytes: inout [UInt8]) {
        let sum = number(bytes, offset) + count
        bytes.replaceSubrange(offset..<offset + 4, with: Canary.big(sum))
    }
}
