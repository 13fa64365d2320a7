import Foundation

/// Compression by the system's `gzip`.
package enum Gzip {
    package static func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gzip-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(bytes).write(to: folder.appending(path: "body"))
        guard try ChildProgram(["/usr/bin/gzip", "-9", "body"], in: folder).wait() == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        return [UInt8](try Data(contentsOf: folder.appending(path: "body.gz")))
    }
}
