import Base
import DecoderWire
import Media
import Support
import Testing

/// The expected result of one file of the shared media under the profile for Apple's devices.
struct ClipPromise: CustomTestStringConvertible, Sendable {
    var path: String
    var format: MediaFormat
    var rung: Rung
    var width: Int?
    var height: Int?
    var milliseconds: Int

    var testDescription: String { path }

    private init(
        _ path: String,
        _ format: MediaFormat,
        _ rung: Rung,
        _ width: Int?,
        _ height: Int?,
        _ milliseconds: Int,
    ) {
        self.path = path
        self.format = format
        self.rung = rung
        self.width = width
        self.height = height
        self.milliseconds = milliseconds
    }

    static let videos = [
        ClipPromise("video/file-type__fixture-mjpeg.mov", .mp4, .transcoded, 640, 480, 1500),
        ClipPromise("video/file-type__fixture.avi", .mp4, .transcoded, 640, 356, 42),
        ClipPromise("video/generated__moov-at-end-12s-shared.mp4", .mp4, .copied, 384, 216, 10_000),
        ClipPromise("video/generated__mov-rotate90-shared.mov", .mp4, .copied, 180, 320, 3000),
        ClipPromise("video/generated__mpeg2-ps-shared.mpg", .mp4, .transcoded, 352, 288, 2010),
        ClipPromise("video/generated__vfr-shared.mp4", .mp4, .copied, 384, 216, 6000),
        ClipPromise("video/media__bbb_176x144_128kbps_15fps_h263.3gp", .mp4, .transcoded, 176, 144, 1000),
        ClipPromise("video/media__bbb_642x642_768kbps_30fps_vp9.webm", .mp4, .transcoded, 642, 642, 3000),
        // The pixels are not square.
        ClipPromise("video/media__bbb_800x640_768kbps_30fps_vp9.mp4", .mp4, .transcoded, 720, 404, 4000),
        ClipPromise("video/media__edit_list_positive_shift.mp4", .mp4, .transcoded, 720, 404, 10_000),
        ClipPromise("video/media__h265_bframes.mp4", .mp4, .transcoded, 720, 404, 1000),
        ClipPromise("video/media__sample.mkv", .mp4, .transcoded, 720, 480, 1072),
        ClipPromise("video/media__sample.mp4", .mp4, .transcoded, 720, 480, 1024),
        ClipPromise("video/media__sample_av1.mp4", .mp4, .transcoded, 720, 480, 1089),
        ClipPromise("video/media__sample_fragmented.mp4", .mp4, .transcoded, 720, 480, 1024),
        ClipPromise("video/media__sample_h264.ts", .mp4, .transcoded, 720, 404, 1000),
        ClipPromise("video/media__sample_portrait.mp4", .mp4, .transcoded, 480, 720, 1089),
        ClipPromise("video/media__sample_rotate_and_reflect.mp4", .mp4, .transcoded, 480, 720, 1024),
        ClipPromise("video/torchcodec__nasa_13013.mp4", .mp4, .copied, 480, 270, 10_000),
    ]

    static let sounds = [
        ClipPromise("audio/file-type__fixture-adts-mpeg4.aac", .m4a, .transcoded, nil, nil, 16_128),
        ClipPromise("audio/file-type__fixture.aif", .m4a, .transcoded, nil, nil, 2937),
        // The first 256 ms are the decoder's start.
        ClipPromise("audio/media__bbb_1ch_8kHz_aac_lc.m4a", .m4a, .transcoded, nil, nil, 3072),
        ClipPromise("audio/media__bear-id3.mp3", .m4a, .transcoded, nil, nil, 2832),
        ClipPromise("audio/media__bear.flac", .m4a, .transcoded, nil, nil, 2741),
        ClipPromise("audio/media__bear.opus", .m4a, .transcoded, nil, nil, 2741),
        ClipPromise("audio/media__bear_vorbis.ogg", .m4a, .transcoded, nil, nil, 2741),
        ClipPromise("audio/media__sample.wav", .wav, .copied, nil, nil, 1000),
    ]
}

@Suite("The shared clips", .needsSharedMedia)
struct SharedClipsTests {
    @Test("each source becomes what the table promises", arguments: ClipPromise.videos + ClipPromise.sounds)
    func keepsPromise(promise: ClipPromise) throws {
        let bytes = try SharedMedia.bytes(promise.path)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let format = try #require(sniffed)
        let (output, failure) = try transform(MemorySource(bytes), format)
        #expect(failure == nil)
        let delivered = try #require(output.last)
        let report = delivered.report
        #expect(report.rung == promise.rung)
        #expect(report.format.media == promise.format)
        #expect(report.width == promise.width)
        #expect(report.height == promise.height)
        #expect(abs((report.durationMilliseconds ?? 0) - promise.milliseconds) <= 67)
        if FFmpeg.isThere { #expect(try FFmpeg.complaints(about: delivered.bytes) == "") }
        let deliveredFormat = MediaSniffer.format(of: delivered.bytes.span)
        #expect(deliveredFormat == promise.format)
    }
}
