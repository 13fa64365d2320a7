import Decoding
import Foundation
import Media
import Support
import Testing
import Timing

@Suite("A clip that takes longer than the deadline allows", .timeLimit(.minutes(2)), .serialized)
struct ClipDeadlineTests {
    private static let ffmpeg = "/usr/bin/ffmpeg"

    @Test(
        "is replaced by its poster before the deadline, every time",
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "ffmpeg is not installed"),
    )
    func poster() async throws {
        let bytes = try Self.longSource()
        try await DecoderPool.with("attachd-decoder") { pool in
            for _ in 0..<3 {
                let file = try MediaFile(byteLimit: bytes.count)
                try file.append(bytes)
                let time = SystemTime()
                let deadline = time.now + .seconds(2)
                // Reserves as much time for storing and answering as the pipeline does.
                let conversion = await pool.convert(file, format: .mp4, within: .milliseconds(1850))
                #expect(time.now <= deadline)
                #expect(conversion.failure == nil || conversion.failure?.reason == .timedOut)
                #expect(conversion.rungs.map(\.report.rung) == [.poster])
            }
        }
    }

    /// Makes ten seconds of 1080p at 60 frames a second: far more than two seconds' work.
    private static func longSource() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "long.mp4")
        let process = Process()
        process.executableURL = URL(filePath: ffmpeg)
        process.arguments = [
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=60", "-t", "10",
            "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", file.path,
        ]
        try process.run()
        process.waitUntilExit()
        return [UInt8](try Data(contentsOf: file))
    }
}
