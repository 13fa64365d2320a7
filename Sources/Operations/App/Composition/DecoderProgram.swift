import Foundation
import Machine

/// The `attachd-decoder` program.
enum DecoderProgram {
    /// The path of `attachd-decoder`: beside this executable, or in the `libexec` folder beside its `bin`.
    static var path: String? {
        guard let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return nil
        }
        let folder = URL(filePath: executable).deletingLastPathComponent()
        return ["attachd-decoder", "../libexec/attachd-decoder"]
            .map { folder.appending(path: $0).standardizedFileURL.path }
            .first(where: FileManager.default.isExecutableFile)
    }

    /// Asks the program which libraries it loads. Returns none if it does not start.
    static func libraries() -> [LoadedLibrary] {
        guard let path else { return [] }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = ["--libraries"]
        // No plug-in modules of libvips, as for a decoder process.
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "VIPSHOME": "/nonexistent"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        let text = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap {
            LoadedLibrary(line: String($0))
        }
    }
}
