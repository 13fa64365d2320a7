import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Decoding

/// Clips as phones, calls and messengers make them.
@Suite("Clips of phones", .needsFFmpeg, .timeLimit(.minutes(10)))
struct PhoneClipsTests {
    static func deliver(_ bytes: [UInt8], clip: ClipSelection = ClipSelection()) throws -> CollectedRungs.Emitted {
        let format = try #require(recognizedFormat(of: bytes))
        let (output, failure) = try transform(MemorySource(bytes), format, clip: clip)
        #expect(failure == nil)
        return try #require(output.last)
    }

    static func failure(of bytes: [UInt8]) throws -> DecodeError? {
        let format = try #require(recognizedFormat(of: bytes))
        let (output, failure) = try transform(MemorySource(bytes), format)
        #expect(output.rungs == [])
        return failure
    }

    // MARK: - Dolby Vision

    private static let highEfficiency = [
        "-f", "lavfi", "-i", "smptebars=s=320x180:r=12:d=1", "-pix_fmt", "yuv420p10le", "-c:v", "libx265",
        "-x265-params", "log-level=error:info=0:bframes=0",
    ]

    /// Returns a movie with a configuration of Dolby Vision instead of its box `btrt`, which has the same size, and with
    /// another name of its codec.
    private static func dolbyVision(
        _ profile: UInt16,
        _ compatibility: UInt8,
        as name: String,
        coding: [String] = highEfficiency + ["-tag:v", "hvc1"],
    ) throws -> [UInt8] {
        var movie = try FFmpeg.make("a.mp4", coding)
        let box = try #require(movie.firstRange(of: Array("btrt".utf8))).lowerBound
        let numbers = profile << 9 | 1 << 3 | 0b101
        let record =
            [1, 0, UInt8(numbers >> 8), UInt8(numbers & 0xFF), compatibility << 4] + [UInt8](repeating: 0, count: 7)
        movie.replaceSubrange(box..<box + 16, with: Array((profile < 8 ? "dvcC" : "dvvC").utf8) + record)
        let description = try #require(movie.firstRange(of: Array("stsd".utf8))).upperBound + 12
        movie.replaceSubrange(description..<description + 4, with: Array(name.utf8))
        return movie
    }

    @Test(
        "of Dolby Vision without a base are refused in words, in every container",
        arguments: [
            ("dvh1", "a.mp4"), ("dvhe", "a.mp4"), ("hvc1", "a.mp4"), ("hev1", "a.mp4"), ("dvh1", "a.mov"),
            ("hvc1", "a.mkv"),
            ("hvc1", "fragmented.mp4"),
        ],
    )
    func dolbyVisionOnly(name: String, container: String) throws {
        var source = try Self.dolbyVision(5, 0, as: name)
        if container == "a.mov" {
            source.replaceSubrange(4..<12, with: Array("ftypqt  ".utf8))
        } else if container != "a.mp4" {
            source = try FFmpeg.withFile(source) { path in
                let flags = container == "a.mkv" ? [] : ["-movflags", "frag_keyframe+empty_moov"]
                return try FFmpeg.make(container, ["-i", path, "-c", "copy", "-strict", "unofficial"] + flags)
            }
        }
        let failure = try Self.failure(of: source)
        #expect(failure?.reason == .unsupportedFormat && failure?.cause == .dolbyVision)
    }

    @Test(
        "of AV1 with Dolby Vision without a base are refused, and those with one are not",
        arguments: [0, 1, 4] as [UInt8]
    )
    func dolbyVisionOfAV1(compatibility: UInt8) throws {
        let coding = Self.highEfficiency.prefix(6) + ["-c:v", "libaom-av1", "-cpu-used", "8"]
        let source = try Self.dolbyVision(10, compatibility, as: "av01", coding: Array(coding))
        guard compatibility == 0 else {
            #expect(try Self.deliver(source).report.rung == .transcoded)
            return
        }
        #expect(try Self.failure(of: source)?.cause == .dolbyVision)
    }

    @Test(
        "of Dolby Vision with an ordinary base are delivered",
        arguments: [(8, 1), (8, 4), (8, 2), (4, 2), (7, 6)] as [(UInt16, UInt8)],
    )
    func dolbyVisionWithBase(profile: UInt16, compatibility: UInt8) throws {
        let source = try Self.dolbyVision(profile, compatibility, as: "hvc1")
        #expect(try Self.deliver(source).report.rung == .transcoded)
    }

    @Test("whose pictures alone say that they are of Dolby Vision are refused", arguments: ["a.mp4", "a.mkv", "a.ts"])
    func dolbyVisionOfPictures(name: String) throws {
        let stream = try FFmpeg.make("a.hevc", Self.highEfficiency)
        for (metadata, isRefused) in [(Self.withoutBase, true), (Self.withBase, false)] {
            var marked: [UInt8] = []
            for unit in Self.units(of: stream) {
                marked += unit
                // Behind each slice.
                if unit.drop(while: { $0 == 0 }).dropFirst().first.map({ $0 >> 1 < 32 }) == true { marked += metadata }
            }
            let source = try FFmpeg.withFile(marked) { path in
                let input = ["-f", "hevc", "-fflags", "+genpts", "-r", "12", "-i", path, "-c", "copy"]
                return try FFmpeg.make(name, input + (name == "a.mp4" ? ["-tag:v", "hvc1"] : []))
            }
            if isRefused {
                #expect(try Self.failure(of: source)?.cause == .dolbyVision)
            } else {
                #expect(try Self.deliver(source).report.rung == .transcoded)
            }
        }
    }

    /// Splits a stream before each start code of three or four bytes.
    static func units(of stream: [UInt8]) -> [[UInt8]] {
        var starts: [Int] = []
        for index in 0..<max(0, stream.count - 3) where stream[index..<index + 3].elementsEqual([0, 0, 1]) {
            starts.append(index > 0 && stream[index - 1] == 0 ? index - 1 : index)
        }
        return zip(starts, starts.dropFirst() + [stream.count]).map { Array(stream[$0..<$1]) }
    }

    /// The metadata of a picture, as two encoders of Dolby Vision write them. One byte differs, the profile.
    private static let withoutBase = metadata(profile: 0x40)
    private static let withBase = metadata(profile: 0x41)

    private static func metadata(profile: UInt8) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Substring(profile == 0x40 ? profile5 : profile8)
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static let profile5 = """
        000000017c01190809004061b6506f003ff801ffc00fffd0000008000006800000400000340000030200000301c80000c7c1a448003f16c1\
        10c8000042fa95c0000003000200000300020000030010ae7fa8ffa8ffa8d0ae7fa8ffa8ffa8d0ae7fffc000000300000300000300180\
        81f738055000003000080
        """
    private static let profile8 = """
        000000017c0119080908406136506f003ff801ffc00fffd0000008000006800000400000340000030200000301c80000c7c1a448003f16c1\
        10c8000042fa95c0000003000200000300020000030010ae7fa8ffa8ffa8d0ae7fa8ffa8ffa8d0ae7fffc000000300000300000300180\
        81f738055000003000080
        """

    @Test("of Dolby Vision with a wrong copy for others are refused", .needsSharedMedia)
    func foundDolbyVision() throws {
        #expect(try Self.failure(of: SharedMedia.bytes("found4/s-dolby-vision-5.mp4"))?.cause == .dolbyVision)
    }

    // MARK: - Colors

    @Test(
        "with colors that would be guessed are refused",
        arguments: ["ycgco", "ictcp", "smpte2085", "bt2020c"]
    )
    func unknownColors(matrix: String) throws {
        let coding = [
            "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params", "log-level=error:colormatrix=\(matrix)",
        ]
        let source = try FFmpeg.make("a.mp4", FFmpeg.input("testsrc=s=128x96:d=1:r=12") + coding + ["-tag:v", "hvc1"])
        let failure = try Self.failure(of: source)
        #expect(failure?.reason == .unsupportedFormat && failure?.cause == .colors)
    }

    /// A blue square on transparent pixels, which are red.
    private static let sticker: String = {
        let inside = "between(X,40,119)*between(Y,30,89)"
        let colors = "r='if(\(inside),0,255)':g=0:b='if(\(inside),255,0)':a='if(\(inside),255,0)'"
        return "color=red:s=160x120:r=12:d=1,format=rgba,geq=\(colors)"
    }()

    @Test(
        "of stickers show no color that is hidden by their transparency",
        arguments: [("a.webm", "libvpx-vp9"), ("a.webm", "libvpx"), ("a.mkv", "libvpx-vp9")],
    )
    func transparency(name: String, encoder: String) throws {
        let coding = ["-pix_fmt", "yuva420p", "-c:v", encoder, "-b:v", "400k", "-cpu-used", "8", "-auto-alt-ref", "0"]
        let source = try FFmpeg.make(name, FFmpeg.input(Self.sticker) + coding)
        let clip = try Self.deliver(source)
        let rows = try Self.line(of: clip.bytes, "crop=160:1:0:60", count: 160)
        #expect(rows.count >= 12)
        for row in rows { #expect(row[4].isWhite && row[80].isBlue && row[156].isWhite) }
        let (output, _) = try transform(MemorySource(source), name == "a.mkv" ? .matroska : .webm, rungs: [.poster])
        let poster = try Self.line(of: #require(output.last).bytes, "crop=160:1:0:60", count: 160)
        #expect(poster.first.map { $0[4].isWhite && $0[80].isBlue } == true)
    }

    @Test("without the mark of transparency show their colors, as browsers do")
    func withoutTransparency() throws {
        let coding = [
            "-pix_fmt", "yuva420p", "-c:v", "libvpx-vp9", "-b:v", "400k", "-cpu-used", "8", "-auto-alt-ref", "0",
        ]
        var source = try FFmpeg.make("a.webm", FFmpeg.input(Self.sticker) + coding)
        let flag = try #require(source.firstRange(of: [0x53, 0xC0, 0x81])).upperBound
        source[flag] = 0
        let row = try #require(Self.line(of: Self.deliver(source).bytes, "crop=160:1:0:60", count: 160).last)
        #expect(row[4].isRed && row[80].isBlue)
    }

    // MARK: - Sizes

    /// A second of red, and a second of blue of another shape, with a white frame of two pixels around both.
    private static func part(_ color: String, _ size: String) -> [String] {
        ["-f", "lavfi", "-i", "color=\(color):s=\(size):d=1:r=10,drawbox=c=white:t=8"]
    }

    @Test(
        "that turn in the middle keep one size, and the shape of each half",
        arguments: [
            ("a.webm", ["-c:v", "libvpx"]), ("a.webm", ["-c:v", "libvpx-vp9"]), ("a.mp4", ["-c:v", "libx264"]),
            ("a.ts", ["-c:v", "libx264"]), ("a.mkv", ["-c:v", "libx264"]), ("a.ts", ["-c:v", "libx265"]),
            ("a.ts", ["-c:v", "libx264", "-x264-params", "aud=1"]), ("a.mpg", ["-c:v", "mpeg2video"]),
            ("a.avi", ["-c:v", "mjpeg"]),
        ],
        [("320x180", "180x320"), ("180x320", "320x180")],
    )
    func turns(kind: (name: String, coding: [String]), sizes: (first: String, second: String)) throws {
        let source = try Self.turning(kind.name, kind.coding, sizes)
        guard let source else { return }
        let clip = try Self.deliver(source)
        let isWide = sizes.first == "320x180"
        #expect(clip.report.rung == .transcoded)
        #expect(clip.report.width == (isWide ? 320 : 180) && clip.report.height == (isWide ? 180 : 320))
        let rows = try Self.middleRows(of: clip.bytes, isWide: isWide)
        let (start, end) = (try #require(rows.first), try #require(rows.last))
        // Red to the edges, which are white; blue with white edges, between black bars.
        #expect(start[2].isWhite && start[start.count / 2].isRed)
        #expect(end[2].isBlack && end[end.count / 2].isBlue && end[end.count - 3].isBlack)
        let shown = end.count { !$0.isBlack }
        // 180 of 320 in a width of 180 are 101 wide.
        #expect(abs(shown - 101) <= 8, "\(shown) pixels")
    }

    /// Joins two videos packet by packet; `nil` if ffmpeg cannot write such a file.
    private static func turning(
        _ name: String,
        _ coding: [String],
        _ sizes: (first: String, second: String),
    ) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        var list = ""
        for (index, (color, size)) in [("red", sizes.first), ("blue", sizes.second)].enumerated() {
            let bytes = try FFmpeg.make("\(index)\(name)", part(color, size) + ["-pix_fmt", "yuv420p"] + coding)
            let file = folder.url.appending(path: "\(index)\(name)")
            try Data(bytes).write(to: file)
            list += "file '\(file.path)'\n"
        }
        let index = folder.url.appending(path: "list")
        try Data(list.utf8).write(to: index)
        return try FFmpeg.make(name, ["-f", "concat", "-safe", "0", "-i", index.path, "-c", "copy"])
    }

    private struct Pixel {
        var (red, green, blue): (Int, Int, Int)

        var isWhite: Bool { min(red, green, blue) > 180 }
        var isBlack: Bool { max(red, green, blue) < 50 }
        var isRed: Bool { red > 180 && max(green, blue) < 90 }
        var isBlue: Bool { blue > 150 && max(red, green) < 90 }
    }

    /// Returns the middle row or, of an upright clip, the middle column of each frame.
    private static func middleRows(of clip: [UInt8], isWide: Bool) throws -> [[Pixel]] {
        try line(of: clip, isWide ? "crop=320:1:0:90" : "crop=1:320:90:0", count: 320)
    }

    private static func middleColumns(of clip: [UInt8]) throws -> [[Pixel]] {
        try line(of: clip, "crop=1:180:160:0", count: 180)
    }

    private static func line(of clip: [UInt8], _ crop: String, count: Int) throws -> [[Pixel]] {
        try FFmpeg.withFile(clip) { path in
            let filter = ["-vf", "format=rgb24,\(crop)", "-vsync", "passthrough", "-f", "rawvideo", "-"]
            let bytes = [UInt8](try FFmpeg.run("ffmpeg", ["-v", "error", "-i", path] + filter).output)
            let pixels = stride(from: 0, to: bytes.count - 2, by: 3).map {
                Pixel(red: Int(bytes[$0]), green: Int(bytes[$0 + 1]), blue: Int(bytes[$0 + 2]))
            }
            return stride(from: 0, to: pixels.count - count + 1, by: count).map { Array(pixels[$0..<$0 + count]) }
        }
    }

    @Test(
        "that were found to be squeezed or copied with two sizes keep one",
        .needsSharedMedia,
        arguments: ["q-h264-portrait-then-landscape.ts", "q-vp8-landscape-then-portrait.webm"],
    )
    func foundTurns(name: String) throws {
        let clip = try Self.deliver(SharedMedia.bytes("found4/\(name)"))
        let isWide = name.contains("vp8")
        #expect(clip.report.rung == .transcoded)
        #expect(clip.report.width == (isWide ? 320 : 180) && clip.report.height == (isWide ? 180 : 320))
        let rows = try Self.middleRows(of: clip.bytes, isWide: isWide)
        #expect(rows.first?.allSatisfy(\.isBlack) == false)
        #expect(
            try #require(rows.last).prefix(90).allSatisfy(\.isBlack)
                && #require(rows.last).suffix(90).allSatisfy(\.isBlack)
        )
    }

    @Test(
        "whose pixels become wider in the middle, as on television, keep the shape of each half",
        arguments: ["libx264", "libx265"]
    )
    func pixelsChange(encoder: String) throws {
        var joined: [UInt8] = []
        for (color, ratio) in [("red", "1/1"), ("blue", "2/1")] {
            let coding = ["-c:v", encoder, "-pix_fmt", "yuv420p", "-vf", "setsar=\(ratio)"]
            joined += try FFmpeg.make("a.ts", Self.part(color, "320x180") + coding)
        }
        let clip = try Self.deliver(joined)
        #expect(clip.report.width == 320 && clip.report.height == 180 && clip.report.rung == .transcoded)
        let end = try #require(Self.middleColumns(of: clip.bytes).last)
        #expect(end.prefix(40).allSatisfy(\.isBlack) && end.suffix(40).allSatisfy(\.isBlack) && end[90].isBlue)
    }

    // MARK: - Times

    private static let numbered = "testsrc=s=128x96:d=2:r=25"

    @Test(
        "whose packets tell no time of display keep their last picture",
        arguments: [("a.avi", ["-c:v", "mpeg4", "-bf", "2"]), ("a.mpg", ["-c:v", "mpeg2video", "-bf", "2"])],
    )
    func lastPicture(name: String, coding: [String]) throws {
        let inputs = FFmpeg.input(Self.numbered, "sine=440:d=1:r=48000")
        let clip = try Self.deliver(FFmpeg.make(name, inputs + coding + ["-c:a", "mp2"]))
        #expect(try FFmpeg.frameTimes(of: clip.bytes).count == 50)
    }

    @Test("of one picture are shown", arguments: [["-an"], ["-c:a", "mp2"]])
    func onePicture(sound: [String]) throws {
        let inputs = FFmpeg.input(Self.numbered, "sine=440:d=1:r=48000")
        let clip = try Self.deliver(FFmpeg.make("a.avi", inputs + ["-c:v", "mpeg4", "-frames:v", "1"] + sound))
        #expect(clip.report.rung == .transcoded)
        #expect(try FFmpeg.frameTimes(of: clip.bytes).count == 1)
    }

    @Test("end where their edit list does, copied or not", arguments: [720, 64])
    func editList(longEdge: Int) throws {
        let coding = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "2"]
        var source = try FFmpeg.make("a.mp4", FFmpeg.input(Self.numbered, "sine=440:d=2:r=48000") + coding)
        while let list = source.firstRange(of: Array("elst".utf8)) {
            // The duration of the only edit, in milliseconds.
            source.replaceSubrange(list.upperBound + 8..<list.upperBound + 12, with: [0, 0, 0x03, 0xE8])
            source.replaceSubrange(list, with: Array("elsT".utf8))
        }
        while let list = source.firstRange(of: Array("elsT".utf8)) {
            source.replaceSubrange(list, with: Array("elst".utf8))
        }
        var profile = Profile.apns
        profile.video?.longEdge = longEdge
        let clip = try #require(transform(MemorySource(source), .mp4, profile: profile).output.last)
        #expect(clip.report.rung == (longEdge == 720 ? .copied : .transcoded))
        #expect(try FFmpeg.frameTimes(of: clip.bytes).count == 25)
    }

    @Test("whose clock goes back by a second lose nothing", arguments: ["0.5", "1.0", "1.5"])
    func overlap(offset: String) throws {
        var joined: [UInt8] = []
        for start in ["0", offset] {
            let coding = [
                "-c:v", "libx264", "-bf", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", "-output_ts_offset", start,
            ]
            joined += try FFmpeg.make("a.ts", FFmpeg.input(Self.numbered, "sine=440:d=2:r=48000") + coding)
        }
        let clip = try Self.deliver(joined)
        #expect(abs((clip.report.durationMilliseconds ?? 0) - 4000) <= 100, "\(clip.report)")
        #expect(try FFmpeg.frameTimes(of: clip.bytes).count >= 99)
    }

    @Test("whose sound overlaps where two parts are joined stay in time")
    func overlappingSound() throws {
        let coding = ["-c:v", "libx264", "-bf", "0", "-pix_fmt", "yuv420p", "-c:a", "aac"]
        let first = try FFmpeg.make("a.ts", FFmpeg.input(Self.numbered, "sine=440:d=2.8:r=48000") + coding)
        let inputs = FFmpeg.input(Self.numbered, "sine=440:d=2:r=48000")
        let second = try FFmpeg.make("a.ts", inputs + coding + ["-output_ts_offset", "2.0"])
        let clip = try Self.deliver(first + second)
        #expect(abs((clip.report.durationMilliseconds ?? 0) - 4000) <= 150, "\(clip.report)")
    }

    @Test(
        "of an AVI or of fragments that are cut lack their end, and say so",
        arguments: [
            ("a.avi", ["-c:v", "mpeg4", "-bf", "2", "-c:a", "mp2"]), ("a.avi", ["-c:v", "mpeg4", "-an"]),
            ("a.mp4", ["-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov"]),
        ],
    )
    func cut(name: String, coding: [String]) throws {
        let inputs = FFmpeg.input("testsrc2=s=128x96:d=6:r=25", "sine=440:d=6:r=48000")
        let whole = try FFmpeg.make(name, inputs + coding)
        #expect(try Self.deliver(whole).report.account?.endsEarly == false)
        #expect(try Self.deliver(Array(whole.prefix(whole.count * 6 / 10))).report.account?.endsEarly == true)
    }

    @Test("of few pictures a second whose first ones have no time of decoding are whole", arguments: [3, 5, 12])
    func undated(rate: Int) throws {
        let coding = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "4", "-b_strategy", "0"]
        let source = try FFmpeg.make("a.mkv", FFmpeg.input("testsrc=s=128x96:d=2:r=\(rate)") + coding)
        let clip = try Self.deliver(source)
        let header = OutputHeader(clip.bytes.span)
        let tracks = try #require(header).tracks
        let longest = try #require(Profile.apns.video).duration
        let comparison = try ClipComparison(
            #require(clip.report.account),
            tracks,
            of: ClipSelection(),
            longest: longest
        )
        #expect(comparison.shortfall == nil)
    }

    @Test("of one size are copied, however often it stands between their pictures")
    func sameParameters() throws {
        let coding = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "5", "-x264-params", "repeat-headers=1"]
        for name in ["a.ts", "a.mp4", "a.mkv"] {
            let source = try FFmpeg.make(name, FFmpeg.input("testsrc=s=128x96:d=2:r=10") + coding)
            #expect(try Self.deliver(source).report.rung == .copied)
        }
    }
}
