import Media
import Synchronization
import Timing

/// A memory of sources that crashed their decoder processes. They are not decoded again for a while (SECURITY S10).
final class CrashMemory: Sendable {
    private let table = Mutex(CrashTable())
    private let originName: @Sendable (String) -> String?

    /// Creates a memory. `originName` returns the name of a URL's origin; without one, its host counts.
    init(originName: @escaping @Sendable (String) -> String? = { _ in nil }) { self.originName = originName }

    /// Returns the reason not to decode the source `source` at `url`; `nil` if nothing is recorded against it.
    func refusal(ofSource source: String, at url: String, now: Instant) -> AttachmentFailure? {
        table.withLock { table in
            if table.remembers(source: source, at: now) { return Self.remembered }
            return table.isBackingOff(origin: name(of: url), at: now) ? Self.backedOff : nil
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
            if await content.isContent(of: file) { return Self.remembered }
        }
        return nil
    }

    /// Records that decoding `file`, from `source` at `url`, crashed the decoder process.
    func record(_ file: MediaFile, from source: String, at url: String, now: Instant) {
        let content = CrashedContent(file)
        table.withLock { $0.record(source: source, origin: name(of: url), content, at: now) }
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

    private func name(of url: String) -> String { originName(url) ?? Self.origin(of: url) }

    /// Returns the host and port of a URL, or the whole URL if it has no host.
    static func origin(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { !["/", "?", "#", "\\"].contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return host.lowercased()
    }
}
