import Base
import Foundation
import Media
import Support
import Testing

@testable import Decoding

/// Tests of formats and codecs that are switched off, with the real decoder program and real files.
@Suite(.timeLimit(.minutes(10)), .needsSharedMedia, .serialized)
struct SwitchedOffTests {
    /// Real files with the codecs that attachd must find in them.
    static let sources: [(path: String, names: [String])] = [
        ("images/exif-sampl__DSCN0010.jpg", ["jpeg"]), ("images/sharp__p3.png", ["png"]),
        ("images/Pillow__hopper.gif", ["gif"]), ("images/sharp__4.webp", ["webp"]),
        ("images/libheif__example.heic", ["heic", "hevc"]),
        ("images/avif-sampl__fox.profile0.8bpc.yuv420.avif", ["avif", "av1"]),
        ("images/Pillow__multipage.tiff", ["tiff"]),
        ("video/media__sample.mp4", ["mp4", "h264"]), ("video/media__h265_bframes.mp4", ["mp4", "hevc"]),
        ("video/media__sample_av1.mp4", ["av1"]), ("video/media__bbb_800x640_768kbps_30fps_vp9.mp4", ["vp9"]),
        ("video/media__bbb_642x642_768kbps_30fps_vp9.webm", ["webm", "vp9"]),
        ("video/media__sample.mkv", ["matroska", "h264"]),
        ("video/file-type__fixture.avi", ["avi", "msmpeg4", "adpcm"]),
        ("video/generated__mov-rotate90-shared.mov", ["quickTime", "h264"]),
        ("video/file-type__fixture-mjpeg.mov", ["mjpeg"]),
        ("video/generated__mpeg2-ps-shared.mpg", ["mpegProgramStream", "mpeg2video"]),
        ("video/media__sample_h264.ts", ["mpegTransportStream", "h264"]),
        ("video/media__bbb_176x144_128kbps_15fps_h263.3gp", ["threeGPP", "h263"]),
        ("audio/media__bear-id3.mp3", ["mp3"]), ("audio/media__bbb_1ch_8kHz_aac_lc.m4a", ["m4a", "aac"]),
        ("audio/file-type__fixture-adts-mpeg4.aac", ["aac"]), ("audio/media__bear.flac", ["flac"]),
        ("audio/media__bear_vorbis.ogg", ["ogg", "vorbis"]), ("audio/media__bear.opus", ["opus"]),
        ("audio/media__sample.wav", ["wav", "pcm"]), ("audio/file-type__fixture.aif", ["aiff", "pcm"]),
    ]
    private static let cases = sources.flatMap { source in source.names.map { (source.path, $0) } }

    @Test("a source is refused as disabled and is never described, so never decoded", arguments: cases)
    func refused(path: String, name: String) async throws {
        let formats = FormatSwitch(settings: DisabledFormats.reading([name]).disabled)
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("attachd-decoder", formats: formats, recorder: events) { pool in
            let bytes = try SharedMedia.bytes(path)
            let recognized = MediaSniffer.format(of: bytes.span)
            let format = try #require(recognized)
            let conversion = try await pool.convert(bytes)
            #expect(conversion.failure?.reason == .disabled)
            #expect(conversion.source == nil && conversion.rungs.isEmpty)
            #expect(events.count(.formatRefused(format)) == 1)
            #expect((pool.refusal(of: format) == nil) == !formats.disabled.refuses(format))
            formats.replace(settings: DisabledFormats())
            let again = try await pool.convert(bytes)
            #expect(again.failure == nil && again.source != nil)
        }
    }

    @Test("everything but what is switched off is decoded as before", arguments: sources.map(\.path))
    func others(path: String) async throws {
        let bytes = try SharedMedia.bytes(path)
        let recognized = MediaSniffer.format(of: bytes.span)
        let format = try #require(recognized)
        let own = Self.sources.filter { $0.path == path }.flatMap(\.names)
        let parts = ["h264", "hevc", "vp9", "vp8", "av1", "aac", "mp3", "mp2", "ac3", "opus", "amrnb", "mpeg4", "pcm"]
        let others = DisabledFormats.allNames.filter { name in
            // A clip may have one of the common codecs, too.
            !own.contains(name) && name != format.rawValue && !(format.kind != .image && parts.contains(name))
        }
        let formats = FormatSwitch(settings: DisabledFormats.reading(others).disabled)
        try await DecoderPool.with("attachd-decoder", formats: formats) { pool in
            let conversion = try await pool.convert(bytes)
            #expect(conversion.failure == nil && !conversion.rungs.isEmpty)
        }
    }

    @Test("a decoder at work on a format that is switched off is ended, and its job fails as disabled")
    func stopped() async throws {
        let formats = FormatSwitch()
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("evil-decoder", formats: formats, recorder: events) { pool in
            let job = Task { try await pool.convert("hang") }
            try await eventually { pool.runningFormats.formats == [.jpeg] }
            formats.replace(fleet: DisabledFormats.reading(["png"]).disabled)
            #expect(events.count(.formatStopped(.jpeg)) == 0)
            formats.replace(fleet: DisabledFormats.reading(["png", "jpeg"]).disabled)
            #expect(events.count(.formatStopped(.jpeg)) == 1)
            #expect(try await job.value.failure?.reason == .disabled)
            try await eventually { pool.status.running == 0 }
        }
    }

    @Test("a decoder at work on a clip that may have the codec is ended, and another one looks at the clip again")
    func restarted() async throws {
        let formats = FormatSwitch()
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("attachd-decoder", formats: formats, recorder: events) { pool in
            for (path, name) in [("video/media__h265_bframes.mp4", "hevc"), ("video/media__sample.mp4", "vp9")] {
                let bytes = try SharedMedia.bytes(path)
                let file = try MediaFile(byteLimit: bytes.count)
                // Without its last bytes, the decoder waits for them.
                try unsafe bytes.dropLast().withUnsafeBytes { unsafe try file.append($0) }
                let stopsBefore = events.count(.formatStopped(.mp4))
                let job = Task { await pool.convert(file, format: .mp4) }
                try await eventually { pool.runningFormats.formats == [.mp4] }
                formats.replace(fleet: DisabledFormats.reading([name]).disabled)
                try await eventually { events.count(.formatStopped(.mp4)) == stopsBefore + 1 }
                try unsafe bytes.suffix(1).withUnsafeBytes { unsafe try file.append($0) }
                file.end(.whole)
                #expect(await job.value.failure?.reason == (name == "hevc" ? .disabled : nil))
                formats.replace(fleet: DisabledFormats())
            }
        }
    }
}
