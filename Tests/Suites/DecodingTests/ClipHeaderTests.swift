import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Decoding

@Suite("A clip's header", .timeLimit(.minutes(10)), .needsSharedMedia)
struct ClipHeaderTests {
    /// Decodes a source, and returns the report and the clip's bytes.
    private func clip(of path: String) async throws -> (report: RungReport, bytes: [UInt8]) {
        var best: ReadyRung?
        try await DecoderPool.with("attachd-decoder") { pool in
            best = try await pool.convert(SharedMedia.bytes(path)).rungs.last
        }
        let rung = try #require(best)
        return (rung.report, rung.file.prefix(rung.file.capacity))
    }

    private func accepts(_ report: RungReport, _ bytes: [UInt8], _ profile: Profile = .apns) throws -> Bool {
        let file = try OutputFile(capacity: bytes.count)
        _ = unsafe pwrite(file.descriptor, bytes, bytes.count, 0)
        let request = ConversionRequest(
            format: .mp4,
            image: profile.image,
            animation: nil,
            video: profile.video,
            audio: profile.audio,
        )
        return OutputCheck.accepted(report, file, for: request) != nil
    }

    @Test("is read from the delivered file", arguments: ["video/torchcodec__nasa_13013.mp4", "audio/media__bear.flac"])
    func reads(path: String) async throws {
        let (report, bytes) = try await clip(of: path)
        let found = OutputHeader(bytes.span)
        let header = try #require(found)
        #expect(header.format == report.format)
        #expect(header.width == report.width && header.height == report.height)
        #expect(try accepts(report, bytes))
    }

    @Test("is missing if the clip is truncated or has more bytes than its boxes say")
    func cut() async throws {
        let bytes = try await clip(of: "video/generated__mov-rotate90-shared.mov").bytes
        for count in stride(from: 0, to: bytes.count, by: 97) {
            let isWhole = OutputHeader(Array(bytes.prefix(count)).span) != nil
            #expect(!isWhole, "\(count)")
        }
        let isLonger = OutputHeader((bytes + [0, 0, 0, 0]).span) != nil
        #expect(!isLonger)
    }

    @Test("is missing if a box that attachd doesn't write stands anywhere, or bytes in one that has none")
    func boxes() async throws {
        let movie = WholeMovie(try await clip(of: "video/torchcodec__nasa_13013.mp4").bytes)
        let mark = Array("CANARY-PII..".utf8)
        let track = ["moov", "trak"]
        let table = track + ["mdia", "minf", "stbl"]
        for path in [
            [], ["moov"], track, track + ["tkhd"], track + ["mdia"], track + ["mdia", "hdlr"],
            track + ["mdia", "minf"],
            table, table + ["stsd", "avc1"], table + ["stts"], ["moov", "udta"], ["ftyp"],
        ] {
            for type in ["uuid", "free", "udta", ""] {
                let hidden = type == "" ? mark : [0, 0, 0, UInt8(8 + mark.count)] + Array(type.utf8) + mark
                let hiding = try movie.inserting(hidden, in: path)
                #expect(hiding.firstRange(of: mark) != nil)
                let isRead = OutputHeader(hiding.span) != nil
                #expect(!isRead, "\(type) in \(path)")
            }
        }
    }

    @Test("is read wherever the samples are, but not if there are bytes that belong to none")
    func offsets() async throws {
        // libav leaves an empty box before the data of a movie.
        let original = try await clip(of: "video/torchcodec__nasa_13013.mp4").bytes
        let empty = try WholeMovie(original).start(of: "free")
        var bytes = WholeMovie(original).inserting([], at: empty, moving: -8)
        bytes.removeSubrange(empty..<empty + 8)
        let isRead = OutputHeader(bytes.span) != nil
        #expect(isRead)
        let movie = WholeMovie(bytes)
        let data = try movie.start(of: "mdat")
        for offset in [data + 8, bytes.count] {
            var hiding = movie.inserting([1, 2, 3, 4], at: offset, moving: offset == bytes.count ? 0 : 4)
            hiding.replaceSubrange(data..<data + 4, with: WholeMovie.big(bytes.count - data + 4))
            let isRead = OutputHeader(hiding.span) != nil
            #expect(!isRead)
        }
    }

    @Test("S6: is missing if its tables would overflow")
    func overflow() async throws {
        var bytes = try await clip(of: "audio/media__bear.flac").bytes
        // One size for all samples, and as many of it as a number can say.
        let sizes = try #require(bytes.firstRange(of: Array("stsz".utf8))).upperBound
        let runs = try #require(bytes.firstRange(of: Array("stsc".utf8))).upperBound
        for offset in [sizes + 4, sizes + 8, runs + 12] {
            bytes.replaceSubrange(offset..<offset + 4, with: [255, 255, 255, 255])
        }
        let isRead = OutputHeader(bytes.span) != nil
        #expect(!isRead)
    }

    @Test("is missing if anything stands between the parts of a WAV")
    func wave() {
        let mark = Array("CANARY-PII".utf8)
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            Array(type.utf8) + WholeMovie.big(content.count).reversed() + content
        }
        let form: [UInt8] = [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0]
        let samples = chunk("data", [0, 0, 1, 0])
        func isRead(_ parts: [UInt8]...) -> Bool {
            OutputHeader(chunk("RIFF", Array("WAVE".utf8) + parts.joined()).span) != nil
        }
        #expect(isRead(chunk("fmt ", form), samples))
        #expect(!isRead(chunk("fmt ", form), chunk("LIST", mark), samples))
        #expect(!isRead(chunk("fmt ", form), samples, chunk("iXML", mark)))
        #expect(!isRead(chunk("fmt ", form + [10, 0] + mark), samples))
        #expect(!isRead(chunk("fmt ", form), samples, mark))
        #expect(!isRead(chunk("fmt ", Array(form.dropLast(8)) + mark.prefix(8)), samples))
    }

    @Test("exposes a decoder that lies")
    func lies() async throws {
        let (report, bytes) = try await clip(of: "video/generated__mov-rotate90-shared.mov")
        #expect(try accepts(report, bytes))
        for lie in [\RungReport.width, \.height, \.durationMilliseconds] {
            var claim = report
            claim[keyPath: lie] = 1000
            #expect(try !accepts(claim, bytes))
            claim[keyPath: lie] = nil
            #expect(try !accepts(claim, bytes))
        }
        var short = Profile.apns
        short.video?.duration = .seconds(1)
        #expect(try !accepts(report, bytes, short))
        short = .apns
        short.video?.longEdge = 200
        #expect(try !accepts(report, bytes, short))
        #expect(try !accepts(report, bytes, .fcm))
    }

    @Test("S6: is not searched for in millions of empty boxes, which would take more memory than the file")
    func emptyBoxes() async {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            let box: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)
            let type: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0]
            var bytes = type
            bytes.reserveCapacity(50_000_016)
            for _ in 0..<6_250_000 { bytes += box }
            let before = Self.peakBytes
            for _ in 0..<3 {
                let isClip = OutputHeader(bytes.span) != nil
                #expect(!isClip)
            }
            #expect(Self.peakBytes - before < 20_000_000)
        }
    }

    /// The peak resident memory of this process.
    private static var peakBytes: Int {
        var usage = rusage()
        return unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 ? usage.ru_maxrss * 1024 : .max
    }

    @Test("never ends the process, whatever its bytes")
    func garbage() async throws {
        var bytes = try await clip(of: "video/generated__mov-rotate90-shared.mov").bytes
        bytes = Array(bytes.prefix(3000))
        for offset in 8..<bytes.count {
            var damaged = bytes
            for index in offset..<min(offset + 8, damaged.count) { damaged[index] = 0xFF }
            if let header = OutputHeader(damaged.span) { #expect((header.durationMilliseconds ?? 0) >= 0) }
        }
    }
}

/// A movie whose index stands at its front, and bytes put into it.
private struct WholeMovie {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

    private func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }

    /// Returns the start of the first box of that type at the top.
    func start(of type: String) throws -> Int { try #require(box(type, in: 0..<bytes.count)) }

    /// Returns the movie with `extra` at the end of the innermost box of a path, with right sizes and offsets.
    func inserting(_ extra: [UInt8], in path: [String]) throws -> [UInt8] {
        var range = 0..<bytes.count
        var sizes: [Int] = []
        for type in path {
            let start = try #require(box(type, in: range))
            sizes.append(start)
            let header = ["stsd": 16, "avc1": 86][type] ?? 8
            range = start + header..<start + number(start)
        }
        var result = inserting(extra, at: range.upperBound, moving: path.isEmpty ? 0 : extra.count)
        for offset in sizes {
            result.replaceSubrange(offset..<offset + 4, with: Self.big(number(offset) + extra.count))
        }
        return result
    }

    /// Returns the movie with `extra` at an offset, and all samples `distance` bytes later.
    func inserting(_ extra: [UInt8], at offset: Int, moving distance: Int) -> [UInt8] {
        var result = bytes
        var search = 0
        while let found = bytes[search...].firstRange(of: Array("stco".utf8)) {
            for index in 0..<number(found.upperBound + 4) {
                let entry = found.upperBound + 8 + 4 * index
                result.replaceSubrange(entry..<entry + 4, with: Self.big(number(entry) + distance))
            }
            search = found.upperBound
        }
        result.insert(contentsOf: extra, at: offset)
        return result
    }

    private func box(_ type: String, in range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, number(offset) >= 8 {
            if bytes[offset + 4..<offset + 8].elementsEqual(type.utf8) { return offset }
            offset += number(offset)
        }
        return nil
    }
}
