import Foundation

/// A small file system in memory. It is removed with this value.
package final class SmallDisk: Sendable {
    private let folder: TemporaryFolder

    package var path: String { folder.path }

    /// Mounts the file system on a folder with `mode` in octal digits. Returns `nil` if this user may not mount.
    package init?(megabytes: Int = 1, mode: String = "755") throws {
        folder = try TemporaryFolder()
        let options = "size=\(megabytes)m,mode=\(mode)"
        guard try Self.run("mount", "-t", "tmpfs", "-o", options, "none", folder.path) == 0 else { return nil }
    }

    deinit { _ = try? Self.run("umount", "-l", folder.path) }

    /// Uses up all free disk space.
    package func fill() throws {
        let filler = path + "/filler"
        try Data().write(to: URL(filePath: filler))
        let handle = try FileHandle(forWritingTo: URL(filePath: filler))
        for size in [65_536, 4096, 1] {
            while (try? handle.write(contentsOf: Data(count: size))) != nil {}
        }
        try handle.close()
    }

    package func empty() throws { try FileManager.default.removeItem(atPath: path + "/filler") }

    private static func run(_ command: String...) throws -> Int32 {
        let program = try ChildProgram(["/usr/bin/env"] + command, in: URL(filePath: "/"))
        return program.wait()
    }
}
