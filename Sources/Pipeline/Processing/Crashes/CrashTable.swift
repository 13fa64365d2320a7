import Media
import Timing
import Values

/// A table of sources that crashed their decoder processes, by name, by content, and by origin. It has no side effects.
///
/// The table is bounded: beyond its limits, it forgets first the entries that would expire first, which are the oldest.
struct CrashTable: Sendable {
    private struct Origin {
        var crashes = 0
        var lastCrash: Instant
        var resumes: Instant
    }

    /// The hash of a URL or host of any length. Its key is new in each process, so that nobody outside can create
    /// collisions.
    private struct Name: Hashable {
        private let hashes: [Int]

        init(_ text: String) {
            hashes = (0..<2).map { number in
                var hasher = Hasher()
                hasher.combine(number)
                hasher.combine(text)
                return hasher.finalize()
            }
        }
    }

    /// The time for which a source is not decoded again.
    static let period: Duration = .seconds(600)
    /// The most entries of each kind: names, contents, and origins.
    static let entryLimit = 1024
    /// The number of crashes from which on an origin must wait: one second, and twice as long after each further crash.
    static let toleratedCrashes = 3
    static let firstPause: Duration = .seconds(1)

    /// The time at which each entry expires.
    private var sources = BoundedTable<Name, Instant>(entryLimit: entryLimit)
    private var contents = BoundedTable<CrashedContent, Instant>(entryLimit: entryLimit)
    private var origins = BoundedTable<Name, Origin>(entryLimit: entryLimit)

    var count: Int { sources.count + contents.count + origins.count }

    func remembers(source: String, at now: Instant) -> Bool { sources[Name(source)].map { now < $0 } ?? false }

    func hasContents(at now: Instant) -> Bool { contents.values.contains { now < $0 } }

    /// Returns the recorded contents that begin with `head`.
    func contents(beginningLike head: [UInt8], at now: Instant) -> [CrashedContent] {
        contents.oldestFirst
            .filter { now < $0.value && $0.key.head.starts(with: head.prefix($0.key.head.count)) }
            .map(\.key)
    }

    func isBackingOff(origin: String, at now: Instant) -> Bool {
        origins[Name(origin)].map { now < $0.resumes } ?? false
    }

    mutating func record(source: String, origin: String, _ content: CrashedContent?, at now: Instant) {
        forget(at: now)
        sources.insert(now + Self.period, for: Name(source))
        if let content { contents.insert(now + Self.period, for: content) }
        let name = Name(origin)
        var record = origins[name] ?? Origin(lastCrash: now, resumes: now)
        record.crashes += 1
        record.lastCrash = now
        if record.crashes >= Self.toleratedCrashes {
            let doublings = min(record.crashes - Self.toleratedCrashes, 20)
            record.resumes = now + min(Self.firstPause * (1 << doublings), Self.period)
        }
        origins.insert(record, for: name)
    }

    private mutating func forget(at now: Instant) {
        sources.removeOldest { $1 <= now }
        contents.removeOldest { $1 <= now }
        origins.removeOldest { $1.lastCrash + Self.period <= now }
    }
}
