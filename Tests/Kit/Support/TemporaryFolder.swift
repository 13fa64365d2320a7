package import Foundation

/// A new folder for a test. It is removed with this value.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = URL(filePath: NSTemporaryDirectory()).appending(path: "attachd-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }

    /// Writes a file that only its owner may read unless `mode` differs, and returns the file's path.
    @discardableResult
    package func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = url.appending(path: name).path
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// The paths of all files below, relative to the folder, sorted.
    package var files: [String] {
        let keys: [URLResourceKey] = [.isRegularFileKey]
        let all = FileManager.default.enumerator(at: url, includingPropertiesForKeys: keys)?.allObjects as? [URL] ?? []
        return all.filter { (try? $0.resourceValues(forKeys: Set(keys)).isRegularFile) == true }
            .map { String($0.path.dropFirst(path.count + 1)) }
            .sorted()
    }
}
