import Foundation

/// Files in the system's attachment store, each of which an extension may read only between a start and a stop.
final class ScopedFiles {
    private let start: (URL) -> Bool
    private let stop: (URL) -> Void
    private var held: [URL] = []

    init(start: @escaping (URL) -> Bool, stop: @escaping (URL) -> Void) { (self.start, self.stop) = (start, stop) }

    deinit { release() }

    /// Reads a file within one access.
    func read(_ url: URL) -> Data? {
        let isOpen = start(url)
        defer { if isOpen { stop(url) } }
        return try? Data(contentsOf: url)
    }

    /// Begins an access that lasts until `release`, because a player reads again and again.
    func hold(_ url: URL) { if start(url) { held.append(url) } }

    func release() {
        held.forEach(stop)
        held = []
    }
}
