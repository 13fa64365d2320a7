import Timing
import Values

/// The files that this process has published, and the times until which they need not be published again.
struct PublishedNames {
    /// The maximum number of names, which take about 15 MB. A file whose name was evicted is published again, which
    /// costs only one request.
    private static let limit = 90_000

    private var ends = BoundedTable<String, Instant>(entryLimit: limit)

    func end(of name: String) -> Instant? { ends[name] }

    func contains(_ name: String, at now: Instant) -> Bool { ends[name].map { $0 > now } ?? false }

    mutating func remove(_ name: String) { ends.remove(name) }

    mutating func insert(_ name: String, until end: Instant) { ends.insert(end, for: name) }
}
