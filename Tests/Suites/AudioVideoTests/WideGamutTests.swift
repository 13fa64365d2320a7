import Foundation
import Media
import Support
import Testing

@Suite("Videos of a wide gamut and standard range", .needsFFmpeg, .timeLimit(.minutes(10)))
struct WideGamutTests {
    struct Case {
        var primaries: String
        /// Red and green of sRGB in these primaries.
        var red: String
        var green: String
    }

    static let cases = [
        Case(primaries: "smpte432", red: "0xEA3323", green: "0x75FB4C"),
        Case(primaries: "bt2020", red: "0xCF4A23", green: "0x9BF654"),
    ]

    @Test("get the colors of sRGB, as a poster and as a new clip", arguments: cases, ["yuv420p", "yuv420p10le"])
    func colors(_ sample: Case, format: String) throws {
        for (color, shown) in [(sample.red, [255, 0, 0]), (sample.green, [0, 255, 0])] {
            let source = FFmpeg.input("color=\(color):s=128x96:d=1:r=10")
            let filter = ["-vf", "format=gbrp,scale=out_color_matrix=bt709:out_range=tv,format=\(format)"]
            let tags = ["-colorspace", "bt709", "-color_primaries", sample.primaries, "-color_trc", "bt709"]
            let coding = ["-c:v", "libx265", "-crf", "4", "-x265-params", "log-level=none"]
            let bytes = try FFmpeg.make("a.mp4", source + filter + coding + tags)
            let (output, failure) = try transform(MemorySource(bytes), .mp4)
            #expect(failure == nil)
            #expect(output.rungs == [.poster, .transcoded])
            for emitted in output.emitted {
                let found = try #require(try FFmpeg.colors(of: emitted.bytes).last)
                let isNear = zip(found, shown).allSatisfy { abs($0 - $1) <= 20 }
                #expect(isNear, "\(emitted.report.rung): \(found) instead of \(shown)")
            }
            let clip = try #require(output.last)
            let description = try FFmpeg.withFile(clip.bytes) {
                try FFmpeg.run(
                    "ffprobe",
                    ["-v", "error", "-show_entries", "stream=color_primaries", "-of", "csv=p=0", $0]
                )
            }
            #expect(description.lines.first == "bt709")
        }
    }
}
