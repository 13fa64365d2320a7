import Foundation

/// The location of the `attachd-decoder` program.
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
}
