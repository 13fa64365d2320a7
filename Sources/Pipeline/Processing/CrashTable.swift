import Media
import Timing

/// Sources that ended their decoder processes, by their names and contents, and their origins. It does nothing itself.
///
/// It is bounded: beyond its limits, what would be forgotten first is forgotten.
struct CrashTable: Sendable {
    private struct Origin {
        var crashes = 0
        var lastCrash: Instant
        var resumes: Instant
    }

    /// Stands for a URL or a host of any length. It is keyed anew in each process, so nobody outside can make two alike.
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

    /// For so long a source is not decoded again.
    static let period: Duration = .seconds(600)
    /// The most names, contents and origins, each.
    static let entryLimit = 1024
    /// From so many crashes on, an origin has to wait: a second, and twice as long after each further crash.
    static let toleratedCrashes = 3
    static let firstPause: Duration = .seconds(1)

    /// When each is forgotten.
    private var sources: [Name: Instant] = [:]
    private var contents: [CrashedContent: Instant] = [:]
    private var origins: [Name: Origin] = [:]

    var count: Int { sources.count + contents.count + origins.count }

    func remembers(source: String, at now: Instant) -> Bool { sources[Name(source)].map { now < $0 } ?? false }

    func hasContents(at now: Instant) -> Bool { contents.values.contains { now < $0 } }

    /// The contents that may be those of a source that begins with `head`.
    func contents(beginningLike head: [UInt8], at now: Instant) -> [CrashedContent] {
        contents.filter { now < $0.value && $0.key.head.starts(with: head.prefix($0.key.head.count)) }.map(\.key)
    }

    func isBackingOff(origin: String, at now: Instant) -> Bool {
        origins[Name(origin)].map { now < $0.resumes } ?? false
    }

    mutating func record(source: String, origin: String, _ content: CrashedContent?, at now: Instant) {
        forget(at: now)
        sources[Name(source)] = now + Self.period
        if let content { contents[content] = now + Self.period }
        let name = Name(origin)
        var record = origins[name] ?? Origin(lastCrash: now, resumes: now)
        record.crashes += 1
        record.lastCrash = now
        if record.crashes >= Self.toleratedCrashes {
            let doublings = min(record.crashes - Self.toleratedCrashes, 20)
            record.resumes = now + min(Self.firstPause * (1 << doublings), Self.period)
        }
        origins[name] = record
        limit(&sources) { $0 }
        limit(&contents) { $0 }
        limit(&origins) { $0.lastCrash }
    }

    private mutating func forget(at now: Instant) {
        sources = sources.filter { now < $0.value }
        contents = contents.filter { now < $0.value }
        origins = origins.filter { now < $0.value.lastCrash + Self.period }
    }

    private func limit<Key, Value>(_ entries: inout [Key: Value], by instant: (Value) -> Instant) {
        while entries.count > Self.entryLimit,
            let oldest = entries.min(by: { instant($0.value) < instant($1.value) })
        {
            entries[oldest.key] = nil
        }
    }
}
