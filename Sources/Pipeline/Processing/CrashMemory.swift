import Media
import Synchronization
import Timing

/// The memory of sources that ended their decoder processes, which are not decoded again for a while (SECURITY S10).
final class CrashMemory: Sendable {
    private let table = Mutex(CrashTable())

    /// Why nothing is decoded from `source`, which has that URL; `nil` if nothing is known against it.
    func refusal(ofSource source: String, at url: String, now: Instant) -> AttachmentFailure? {
        table.withLock { table in
            if table.remembers(source: source, at: now) { return Self.remembered }
            return table.isBackingOff(origin: Self.origin(of: url), at: now) ? Self.backedOff : nil
        }
    }

    /// Why `file` is not decoded; `nil` if its contents are not those of a source that ended a decoder process.
    ///
    /// Waits for more of the file only if it begins like such a source.
    func refusal(of file: MediaFile, now: Instant) async -> AttachmentFailure? {
        guard table.withLock({ $0.hasContents(at: now) }) else { return nil }
        let head = file.prefix(CrashedContent.headByteCount)
        for content in table.withLock({ $0.contents(beginningLike: head, at: now) }) {
            if await content.isContent(of: file) { return Self.remembered }
        }
        return nil
    }

    /// Remembers that decoding `file`, which comes from `source` at `url`, ended the decoder process.
    func record(_ file: MediaFile, from source: String, at url: String, now: Instant) {
        let content = CrashedContent(file)
        table.withLock { $0.record(source: source, origin: Self.origin(of: url), content, at: now) }
    }

    /// What the caller hears, at once and later: a source that no decoder survives is damaged.
    static let remembered = AttachmentFailure(
        .decode,
        .corrupt,
        "The source is damaged: its decoder process ended over it. It is not tried again for ten minutes.",
    )

    private static let backedOff = AttachmentFailure(
        .decode,
        .decoderUnavailable,
        "Several sources of this origin ended their decoder processes. Its sources are not decoded for a while.",
    )

    /// The host and port of a URL; the whole of one without a host.
    static func origin(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { !["/", "?", "#", "\\"].contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return host.lowercased()
    }
}
