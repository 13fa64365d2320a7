import Base
import Foundation
import Media
import Support
import Testing

/// Tests of picture details that people notice in a clip.
@Suite("Details of clips", .needsFFmpeg, .timeLimit(.minutes(10)))
struct PictureDetailsTests {
    private func clip(
        _ file: String,
        _ arguments: [String],
        rungs: Set<Rung> = Set(Rung.allCases),
        profile: Profile = .apns,
    ) throws -> CollectedRungs {
        let bytes = try FFmpeg.make(file, arguments)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(MemorySource(bytes), #require(sniffed), profile: profile, rungs: rungs)
        #expect(failure == nil)
        return output
    }

    @Test(
        "high dynamic range is as bright as intended, and gray stays gray",
        arguments: [("smpte2084", 0.58), ("arib-std-b67", 0.75)],
    )
    func highDynamicRange(transfer: String, white: Double) throws {
        // Diffuse white is 203 candela per square meter: ITU-R BT.2408.
        let luma = Int(64 + white * 876)
        let source = "color=s=320x240:d=1:r=10,format=yuv420p10le,geq=lum=\(luma):cb=512:cr=512"
        let colors = "colorprim=bt2020:transfer=\(transfer):colormatrix=bt2020nc"
        let arguments =
            FFmpeg.input(source) + ["-c:v", "libx265", "-x265-params", "log-level=none:\(colors)"]
            + ["-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", "bt2020nc", "-tag:v", "hvc1"]
        let output = try clip("a.mp4", arguments)
        #expect(output.rungs == [.poster, .transcoded])
        for emitted in output.emitted {
            let color = try #require(FFmpeg.colors(of: emitted.bytes).first)
            #expect(color.allSatisfy { (215...245).contains($0) }, "\(color)")
            #expect((color.max() ?? 0) - (color.min() ?? 0) <= 4, "\(color)")
        }
    }

    @Test("ten bits become eight, with the same colors")
    func tenBits() throws {
        let source = "color=c=0x40a0c0:s=320x240:d=1:r=10,format=yuv420p10le"
        let output = try clip(
            "a.mp4",
            FFmpeg.input(source) + ["-c:v", "libx265", "-x265-params", "log-level=none"]
        )
        for emitted in output.emitted {
            let color = try #require(FFmpeg.colors(of: emitted.bytes).first)
            #expect(zip(color, [0x40, 0xA0, 0xC0]).allSatisfy { abs($0 - $1) <= 8 }, "\(color)")
        }
    }

    @Test(
        "sizes are even, and match the displayed picture",
        arguments: [
            ("353x289", "1", 352, 288), ("1920x1080", "1", 720, 404), ("720x576", "64/45", 720, 404),
            ("64x48", "1", 64, 48),
        ],
    )
    func sizes(stored: String, ratio: String, width: Int, height: Int) throws {
        let source = "testsrc=s=\(stored):d=1:r=10,setsar=\(ratio)"
        let arguments = FFmpeg.input(source) + ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime"]
        let output = try clip("a.webm", arguments)
        #expect(output.last?.report.width == width && output.last?.report.height == height)
    }

    @Test("interlaced video is encoded again from whole fields")
    func interlaced() throws {
        let source = "testsrc=s=720x576:d=1:r=50,interlace"
        let output = try clip(
            "a.mp4",
            FFmpeg.input(source) + [
                "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p",
                "-flags", "+ildct+ilme", "-x264-params", "tff=1",
            ],
        )
        #expect(output.rungs == [.poster, .transcoded])
    }

    @Test("sixty frames a second become thirty, and an uneven thirty stays", arguments: [(60, 60), (50, 50), (30, 60)])
    func frameRates(rate: Int, frames: Int) throws {
        let source = "testsrc=s=320x240:d=2:r=\(rate)"
        let arguments = FFmpeg.input(source) + ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime"]
        let output = try clip("a.webm", arguments)
        #expect(abs((output.last?.report.frames ?? 0) - frames) <= 1)
    }

    @Test(
        "sound that is longer than the video is delivered, and so is silence",
        arguments: [FFmpeg.input("sine=d=3"), []]
    )
    func soundLength(sound: [String]) throws {
        let arguments =
            FFmpeg.input("testsrc=s=320x240:d=1:r=25") + sound + [
                "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac",
            ]
        for rung in [Rung.copied, .transcoded] {
            let last = try #require(clip("a.mov", arguments, rungs: [rung]).last)
            #expect(last.report.frames == 25)
            #expect(abs((last.report.durationMilliseconds ?? 0) - (sound.isEmpty ? 1000 : 3000)) <= 50)
            #expect(try FFmpeg.complaints(about: last.bytes) == "")
        }
    }

    @Test("a profile without video gets the frame only, in the profile's shape")
    func stillProfiles() throws {
        let arguments =
            FFmpeg.input("testsrc=s=1280x960:d=1:r=25") + [
                "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt",
                "yuv420p",
            ]
        let output = try clip("a.mp4", arguments, profile: .webpush)
        #expect(output.rungs == [.poster])
        #expect(output.last?.report.width == 1024 && output.last?.report.height == 512)
    }

    @Test("a video that is over its byte budget is encoded to fit")
    func budget() throws {
        var profile = Profile.apns
        profile.video?.byteBudget = 300_000
        let source = "testsrc2=s=640x480:d=10:r=25,noise=alls=60:allf=t"
        let arguments =
            FFmpeg.input(source) + [
                "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-b:v", "3M",
            ]
        let output = try clip("a.mp4", arguments, profile: profile)
        #expect(output.rungs == [.copied, .transcoded])
        #expect((output.last?.bytes.count ?? .max) <= 300_000)
    }
}
