import Media
import Timing

/// The files that this process has published, and the times until which they need not be published again.
struct PublishedNames {
    /// The maximum number of names, which take about 10 MB.
    private static let limit = 100_000

    private var ends: [String: Instant] = [:]

    func contains(_ name: String, at now: Instant) -> Bool { ends[name].map { $0 > now } ?? false }

    mutating func remove(_ name: String) { ends[name] = nil }

    mutating func insert(_ name: String, until end: Instant, at now: Instant) {
        if ends.count >= Self.limit {
            ends = ends.filter { $0.value > now }
            // Still full: forget all names. Publishing a file again costs only one request.
            if ends.count >= Self.limit { ends = [:] }
        }
        ends[name] = end
    }
}
