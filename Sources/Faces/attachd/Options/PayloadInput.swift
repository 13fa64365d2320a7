import Foundation
import Payloads

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
