import Base
import Decoding
import Foundation
import Media
import Support
import Testing

@Suite("A clip that takes longer than the deadline allows", .timeLimit(.minutes(10)), .serialized)
struct ClipDeadlineTests {
    private static let ffmpeg = "/usr/bin/ffmpeg"

    /// The decoder ends the job itself at the warning, a tenth of a second before; at the deadline, the pool may.
    @Test(
        "is replaced by its poster at the warning and at the deadline, every time",
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "ffmpeg is not installed"),
        arguments: [(5.9, [nil]), (6, [nil, .timedOut])] as [(Double, [AttachmentFailure.Reason?])],
    )
    func poster(seconds: Double, endings: [AttachmentFailure.Reason?]) async throws {
        let bytes = try Self.longSource()
        let time = TestTime()
        try await DecoderPool.with("attachd-decoder", time: time) { pool in
            for _ in 0..<3 {
                let file = try MediaFile(byteLimit: bytes.count)
                try file.append(bytes)
                let deadline = Deadline(time.now + .seconds(6))
                // However slow the machine is, most of the clip is still to be done when its poster comes.
                let conversion = await pool.convert(file, format: .mp4, deadline: deadline) {
                    time.advance(by: .seconds(seconds))
                }
                #expect(endings.contains(conversion.failure?.reason))
                #expect(conversion.rungs.map(\.report.rung) == [.poster])
            }
        }
    }

    /// Makes ten seconds of 2160p at 60 frames a second, which take many times as long as a poster.
    private static func longSource() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let (second, file) = (folder.url.appending(path: "second.mp4"), folder.url.appending(path: "long.mp4"))
        try run(["-f", "lavfi", "-i", "testsrc2=size=3840x2160:rate=60", "-t", "1"] + coding + [second.path])
        try run(["-stream_loop", "9", "-i", second.path, "-c", "copy", file.path])
        return [UInt8](try Data(contentsOf: file))
    }

    private static let coding = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "35", "-pix_fmt", "yuv420p"]

    private static func run(_ arguments: [String]) throws {
        let process = Process(ffmpeg, ["-v", "error"] + arguments)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
