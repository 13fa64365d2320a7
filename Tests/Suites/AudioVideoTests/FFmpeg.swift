import Foundation
import Support
import Testing

/// The command-line programs of FFmpeg, which make sources and inspect results independently of the code under test.
enum FFmpeg {
    static let isThere = ["ffmpeg", "ffprobe"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    struct Outcome {
        var status: Int32
        var output: Data
        var errors: String

        var lines: [Substring] { String(decoding: output, as: UTF8.self).split(separator: "\n") }
    }

    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> Outcome {
        let folder = try TemporaryFolder()
        let (output, errors) = (folder.url.appending(path: "out"), folder.url.appending(path: "err"))
        for url in [output, errors] { try Data().write(to: url) }
        let process = Process("/usr/bin/\(program)", arguments)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: try Data(contentsOf: output),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self),
        )
    }

    /// Returns the arguments for inputs that filters draw or sound, such as `testsrc=s=320x240` and `sine`.
    static func input(_ filters: String...) -> [String] { filters.flatMap { ["-f", "lavfi", "-i", $0] } }

    /// Makes a source with the filters and encoders that `arguments` name.
    static func make(_ name: String, _ arguments: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: name)
        let outcome = try run("ffmpeg", ["-v", "error", "-y"] + arguments + [file.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return [UInt8](try Data(contentsOf: file))
    }

    /// Runs `body` with a file that contains `bytes`.
    static func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "clip")
        try Data(bytes).write(to: file)
        return try body(file.path)
    }

    /// Returns the messages that ffprobe prints about a file while it reads every packet.
    static func complaints(about bytes: [UInt8]) throws -> String {
        try withFile(bytes) { try run("ffprobe", ["-v", "warning", "-show_packets", "-of", "csv", $0]).errors }
    }

    /// Returns the time at which each video frame is shown, in seconds.
    static func frameTimes(of bytes: [UInt8]) throws -> [Double] {
        try withFile(bytes) { path in
            let entries = [
                "-select_streams", "v", "-show_entries", "frame=best_effort_timestamp_time", "-of", "csv=p=0",
            ]
            return try run("ffprobe", ["-v", "error"] + entries + [path]).lines.compactMap {
                Double($0.split(separator: ",")[0])
            }
        }
    }

    /// Returns the mean color of each video frame.
    static func colors(of bytes: [UInt8]) throws -> [[Int]] {
        try withFile(bytes) { path in
            let filter = "scale=w=1:h=1:flags=area:out_range=full,format=rgb24"
            let arguments = ["-v", "error", "-i", path, "-vf", filter, "-vsync", "passthrough", "-f", "rawvideo", "-"]
            let pixels = [UInt8](try run("ffmpeg", arguments).output)
            return stride(from: 0, to: pixels.count - 2, by: 3).map {
                [Int(pixels[$0]), Int(pixels[$0 + 1]), Int(pixels[$0 + 2])]
            }
        }
    }

    /// Returns the sound at 8,000 samples a second, from -1 to 1.
    static func samples(of bytes: [UInt8]) throws -> [Double] {
        try withFile(bytes) { path in
            let arguments = ["-v", "error", "-i", path, "-vn", "-ac", "1", "-ar", "8000", "-f", "s16le", "-"]
            let data = try run("ffmpeg", arguments).output
            return stride(from: 0, to: data.count - 1, by: 2).map {
                Double(Int16(truncatingIfNeeded: Int(data[$0]) | Int(data[$0 + 1]) << 8)) / 32_768
            }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// A trait that runs a test only where FFmpeg's programs are installed.
    static var needsFFmpeg: Self { .enabled(if: FFmpeg.isThere, "ffmpeg and ffprobe are not installed") }
}
