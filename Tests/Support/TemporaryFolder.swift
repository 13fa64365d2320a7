package import Foundation

/// A folder of its own for a test, gone with the value that holds it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = URL(filePath: NSTemporaryDirectory()).appending(path: "attachd-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }

    /// The paths of all files below, relative to the folder, sorted.
    package var files: [String] {
        let keys: [URLResourceKey] = [.isRegularFileKey]
        let all = FileManager.default.enumerator(at: url, includingPropertiesForKeys: keys)?.allObjects as? [URL] ?? []
        return all.filter { (try? $0.resourceValues(forKeys: Set(keys)).isRegularFile) == true }
            .map { String($0.path.dropFirst(path.count + 1)) }
            .sorted()
    }
}
