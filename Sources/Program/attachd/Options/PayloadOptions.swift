import ArgumentParser
import Foundation
import Payloads

/// The payload of a command, and how it is read.
struct PayloadOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The file with the payload, or - for standard input.", valueName: "payload"),
        completion: .file()
    )
    var path = "-"
    @Option(
        help: "Find attachments by this dialect only. (default: the most specific dialect that finds an attachment)",
        completion: .list(Dialect.builtIn.map(\.name))
    )
    var dialect: String?
    @Option(
        help: "The type of the push, which determines the size limit of the payload: alert or voip. (default: alert)",
        completion: .list(PushType.allCases.map(\.rawValue)),
        transform: { text in
            guard let pushType = PushType(rawValue: text) else { throw ValidationError("Write \(PushType.names).") }
            return pushType
        },
    )
    var pushType = PushType.alert

    /// Reads the payload's bytes.
    func read() throws -> [UInt8] { try PayloadInput.read(path) }
}

// MARK: - Reading

/// A reader of payloads from a file or from standard input.
enum PayloadInput {
    static func read(_ path: String) throws -> [UInt8] {
        // One byte more than the limit is enough to refuse a payload that is too large.
        try read(path, upTo: PayloadReader.byteLimit + 1)
    }

    /// Reads a file of any size.
    static func readAll(_ path: String) throws -> [UInt8] { try read(path, upTo: .max) }

    private static func read(_ path: String, upTo limit: Int) throws -> [UInt8] {
        guard path != "-" else { return try bytes(FileHandle.standardInput, limit) }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CommandError(.inputNotFound, "\(path) cannot be read. Check its name and permissions.")
        }
        do {
            return try bytes(file, limit)
        } catch {
            let reason = OutputPath.isFolder(path) ? "it is a folder" : "\(error.localizedDescription)"
            throw CommandError(.inputNotFound, "\(path) cannot be read: \(reason). Name a file with a payload.")
        }
    }

    private static func bytes(_ file: FileHandle, _ limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, let more = try file.read(upToCount: min(1 << 20, limit - bytes.count)), !more.isEmpty
        {
            bytes += more
        }
        return bytes
    }
}

// MARK: - Paths to write

/// The path of a file to write: checked before the work, so that its result is not lost for a misspelt name.
enum OutputPath {
    static func check(_ paths: String?...) throws {
        for case let path? in paths {
            let folder = URL(filePath: path).deletingLastPathComponent().path
            guard !isFolder(path) else { throw CommandError(.cannotWrite, "\(path) is a folder. Name a file in it.") }
            guard isFolder(folder) else {
                throw CommandError(.cannotWrite, "\(path) cannot be written: there is no folder \(folder).")
            }
            guard FileManager.default.isWritableFile(atPath: folder) else {
                throw CommandError(.cannotWrite, "\(path) cannot be written: \(folder) does not allow new files.")
            }
        }
    }

    /// Writes a report, completely or not at all.
    static func write(_ data: Data, to path: String) async throws {
        do {
            try await waitingForDisk { try data.write(to: URL(filePath: path), options: .atomic) }
        } catch {
            throw CommandError(.cannotWrite, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
