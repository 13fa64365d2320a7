import Base
import Media
import Synchronization

/// A memory of sources that crashed their decoder processes. They are not decoded again for a while (SECURITY S10).
final class CrashMemory: Sendable {
    private let table = Mutex(CrashTable())
    /// The thread that reads whole sources, of up to 100 MB; `nil` for the caller's.
    private let thread: WorkThreads?

    init(thread: WorkThreads?) { self.thread = thread }

    /// Returns the reason not to decode the source; `nil` if nothing is recorded against it.
    func refusal(ofSource source: Source, now: Instant) -> AttachmentFailure? {
        table.withLock { table in
            if table.remembers(source: source.identity, at: now) { return Self.remembered }
            return table.isBackingOff(origin: source.origin, at: now) ? Self.backedOff : nil
        }
    }

    /// Returns the reason not to decode `file`; `nil` if its content is not that of a source that crashed a decoder
    /// process.
    ///
    /// Waits for more of the file only if it begins like such a source.
    func refusal(of file: MediaFile, now: Instant) async -> AttachmentFailure? {
        guard table.withLock({ $0.hasContents(at: now) }) else { return nil }
        let head = file.prefix(CrashedContent.headByteCount)
        for content in table.withLock({ $0.contents(beginningLike: head, at: now) }) {
            guard await content.mayBeContent(of: file) else { continue }
            if await read({ content.isContent(of: file) }) == true { return Self.remembered }
        }
        return nil
    }

    /// Records that decoding `file`, from `source`, crashed the decoder process.
    func record(_ file: MediaFile, from source: Source, now: Instant) async {
        let content = await read { CrashedContent(file) } ?? nil
        table.withLock { $0.record(source: source.identity, origin: source.origin, content, at: now) }
    }

    private func read<Value: Sendable>(_ read: @escaping @Sendable () -> Value) async -> Value? {
        guard let thread else { return read() }
        return await thread.perform(evenIfCancelled: true, read)
    }

    /// The failure for such a source, now and later: a source that crashes every decoder is damaged.
    static let remembered = AttachmentFailure(
        .decode,
        .corrupt,
        "The source is damaged: it crashed its decoder process. It is not tried again for ten minutes.",
    )

    private static let backedOff = AttachmentFailure(
        .decode,
        .decoderUnavailable,
        "Several sources of this origin crashed their decoder processes. Its sources are not decoded for a while.",
    )
}

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

/// The fingerprint of a source that crashed its decoder process.
///
/// The hash has 128 bits, and its key is new in each process, so an attacker cannot make another source with the
/// same hash.
struct CrashedContent: Hashable, Sendable {
    static let headByteCount = 256
    private static let blockByteCount = 1_048_576

    /// The first bytes. Most other sources differ in them, so that the hash is not needed.
    let head: [UInt8]
    let byteCount: Int
    private let hash: [Int]

    /// Returns `nil` unless all of the source is there: another source may begin with the same bytes.
    init?(_ file: MediaFile) {
        let contents = file.contents
        let count = contents.present.prefixCount
        guard contents.ending != nil || contents.isComplete, count > 0, count == contents.present.count else {
            return nil
        }
        head = file.prefix(Self.headByteCount)
        byteCount = count
        hash = Self.hash(of: file, count)
    }

    /// Returns `false` if `file` has another number of bytes. Waits until that is certain.
    func mayBeContent(of file: MediaFile) async -> Bool {
        if let size = file.contents.size, size != byteCount { return false }
        let byteCount = byteCount
        file.want(0..<byteCount + 1)
        let contents = await file.contents { contents in
            contents.ending != nil || contents.isComplete || contents.present.prefixCount > byteCount
                || contents.size.map { $0 != byteCount } ?? false
        }
        return !Task.isCancelled && contents.present.prefixCount == byteCount
    }

    /// Returns `true` if the first bytes of `file` are the same.
    func isContent(of file: MediaFile) -> Bool { Self.hash(of: file, byteCount) == hash }

    private static func hash(of file: MediaFile, _ count: Int) -> [Int] {
        var hashers = [Hasher(), Hasher()]
        // Makes the second hash function differ from the first.
        hashers[1].combine(1)
        for start in stride(from: 0, to: count, by: blockByteCount) {
            let bytes = file.bytes(in: start..<min(count, start + blockByteCount))
            for index in hashers.indices {
                unsafe bytes.withUnsafeBytes { unsafe hashers[index].combine(bytes: $0) }
            }
        }
        return hashers.map { $0.finalize() }
    }
}
