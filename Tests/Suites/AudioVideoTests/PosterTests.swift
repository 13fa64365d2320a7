import DecoderWire
import Media
import Support
import Testing

@testable import AudioVideo

@Suite("The choice of a poster", .needsFFmpeg, .timeLimit(.minutes(10)))
struct PosterTests {
    /// Makes a video of a filter graph, and returns the mean color of its poster.
    private func color(_ graph: String) throws -> [Int] {
        let arguments = ["-filter_complex", graph, "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"]
        let bytes = try FFmpeg.make("a.mp4", arguments)
        let poster = try #require(try transform(MemorySource(bytes), .mp4, rungs: [.poster]).output.last)
        return try #require(FFmpeg.colors(of: poster.bytes).first)
    }

    @Test("a color comes before black and white", arguments: ["black", "white"])
    func plain(color name: String) throws {
        let source = "color=c=\(name):s=320x240:d=1:r=25[a];color=c=red:s=320x240:d=1:r=25[b];[a][b]concat"
        let color = try color(source)
        #expect(color[0] > 200 && color[1] < 40 && color[2] < 40)
    }

    @Test("a picture comes before a plain color")
    func picture() throws {
        let source = "color=c=red:s=320x240:d=0.6:r=25[a];testsrc=s=320x240:d=1:r=25[b];[a][b]concat"
        let color = try color(source)
        #expect(color[1] > 60 && color[2] > 60)
    }

    @Test("a fade from black has ended, or nearly")
    func fade() throws {
        let whole = try color("testsrc=s=320x240:d=2:r=25")
        let faded = try color("testsrc=s=320x240:d=2:r=25,fade=in:d=0.8")
        for (seen, wanted) in zip(faded, whole) { #expect(seen * 10 >= wanted * 8, "\(faded) of \(whole)") }
    }

    @Test("a sharp frame comes before a blurred one")
    func blur() throws {
        let sharp = "color=c=red:s=320x240:d=0.6:r=25,drawgrid=w=16:h=16:t=4:c=yellow"
        let source =
            "color=c=blue:s=320x240:d=0.2:r=25,drawgrid=w=8:h=8:t=2:c=cyan,gblur=sigma=12[a];\(sharp)[b];[a][b]concat"
        let color = try color(source)
        #expect(color[0] > 150 && color[2] < 80)
    }

    @Test("a clip that begins between two key frames has a poster from within, though the frame before is as good")
    func inside() throws {
        // Blue for two seconds, then red; the only key frame is the first one.
        let graph = "color=c=blue:s=320x240:d=2:r=25[a];color=c=red:s=320x240:d=2:r=25[b];[a][b]concat"
        let coding = [
            "-c:v", "libx264", "-preset", "veryfast", "-g", "500", "-sc_threshold", "0", "-pix_fmt", "yuv420p",
        ]
        let bytes = try FFmpeg.make("a.mp4", ["-filter_complex", graph] + coding)
        let clip = ClipSelection(start: .milliseconds(2500), duration: .seconds(1))
        let poster = try #require(try transform(MemorySource(bytes), .mp4, clip: clip, rungs: [.poster]).output.last)
        let color = try #require(FFmpeg.colors(of: poster.bytes).first)
        #expect(color[0] > 200 && color[2] < 40, "\(color)")
    }

    @Test("a source that breaks after its first frames has a poster nevertheless")
    func broken() throws {
        let graph = "testsrc=s=320x240:d=2:r=25,fade=in:d=1.5"
        let coding = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
        let bytes = try FFmpeg.make("a.mp4", ["-filter_complex", graph] + coding)
        let cut = MemorySource(Array(bytes.prefix(bytes.count / 2)), isCut: true)
        #expect(try transform(cut, .mp4, rungs: [.poster]).output.rungs == [.poster])
    }

    @Test("when time runs out, any frame will do")
    func hurry() throws {
        let graph = "testsrc=s=320x240:d=2:r=25,fade=in:d=0.8"
        let arguments = ["-filter_complex", graph, "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"]
        let source = MemorySource(try FFmpeg.make("a.mp4", arguments))
        source.byteCountAtExpiry = 1
        let poster = try #require(try transform(source, .mp4, rungs: [.poster]).output.last)
        let color = try #require(FFmpeg.colors(of: poster.bytes).first)
        #expect(color.allSatisfy { $0 < 40 }, "\(color)")
    }
}
