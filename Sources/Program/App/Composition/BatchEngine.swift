import Base
package import Batch
import Decoding
import Files
import Foundation
import Glibc
import Media
import Processing
package import Settings

/// The parts of attachd that a batch needs: decoders and a profile. A batch uses no store, queue, or network.
package struct BatchEngine: Sendable {
    package let options: BatchOptions
    private let decoders: DecoderPool

    /// The longer side of the report's pictures, in pixels.
    private static let thumbnailEdge = 192

    package init(_ settings: Settings, selection: FileSelection) throws(EngineError) {
        options = BatchOptions(
            selection: selection,
            profile: settings.profile,
            fingerprint: settings.profile.fingerprint,
            timeLimit: settings.fileDeadline,
            decoders: settings.decoders,
            thumbnailEdge: Self.thumbnailEdge,
            memory: SourceMemory(byteLimit: Engine.sourceMemory),
        )
        do throws(AttachmentFailure) {
            decoders = try Engine.startDecoders(
                settings,
                running: BatchRun.slots(forDecoders: settings.decoders),
                formats: FormatSwitch(settings: settings.disabledFormats),
            )
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
    }

    /// Throws if a required layer of the sandbox is missing.
    package func checkSandbox() async throws(EngineError) { try await decoders.checkSandbox() }

    /// Processes all files. `monitor` receives the progress and can stop the batch.
    package func run(_ folders: BatchFolders, monitor: BatchMonitor) async throws(BatchError) {
        let run = try BatchRun(folders, options, monitor: monitor, decoders: decoders)
        try await run.run()
    }

    package func shutDown() async { await decoders.shutDown() }
}

extension Profile {
    /// A value of sixteen digits that changes with every rule, but not with the profile's name.
    fileprivate var fingerprint: String {
        let text = rules.filter { $0.name != "categories" }.map { "\($0.name)=\($0.value)\n" }.joined()
        return Hexadecimal.text(Array(SHA256.digest(of: Array(text.utf8)).prefix(8)))
    }
}

// MARK: - The decoder

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
