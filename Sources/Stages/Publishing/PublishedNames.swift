import Media
import Timing

/// What this process has put into the bucket, and until when it need not put it again.
struct PublishedNames {
    /// Some ten megabytes.
    private static let limit = 100_000

    private var ends: [String: Instant] = [:]

    func contains(_ name: String, at now: Instant) -> Bool { ends[name].map { $0 > now } ?? false }

    mutating func remove(_ name: String) { ends[name] = nil }

    mutating func insert(_ name: String, until end: Instant, at now: Instant) {
        if ends.count >= Self.limit {
            ends = ends.filter { $0.value > now }
            // Still full: they are put again, which costs a request each and does no harm.
            if ends.count >= Self.limit { ends = [:] }
        }
        ends[name] = end
    }
}
