import Files
import Media
import Processing
import Publishing
import ServiceExtension
import Storage
import Timing

/// The store, with the URLs from which recipients of the payload fetch its files.
struct PublishedStore: AttachmentStoring {
    enum Location: Sendable {
        /// The files are read from this machine's disk. `isInPayload` tells whether payloads name them, too.
        case here(isInPayload: Bool)
        /// The sidecar serves the files and can be reached from outside.
        case sidecar(AttachmentURLs)
        /// The files are fetched from a bucket, or from the CDN in front of it, at this URL.
        case bucket(Bucket, publicURL: String)
    }

    let store: AttachmentStore
    /// The location from which phones fetch the files.
    let location: Location

    /// The time before a request's deadline at which it is given up, so that its error can still be reported.
    private static let notice: Duration = .milliseconds(20)

    private var bucket: Bucket? {
        if case .bucket(let bucket, _) = location { bucket } else { nil }
    }

    var cost: Duration { bucket?.cost ?? .zero }
    var refusal: AttachmentFailure? { bucket?.refusal }

    func renew(_ stored: StoredAttachment) async -> StoredAttachment? {
        guard let identifier = AttachmentIdentifier(stored.identifier) else { return nil }
        let expiry = await store.renew(identifier)
        // A file that is missing from the bucket must be made again, because its bytes are gone. One that is in the bucket
        // need not be here: another worker may have made it.
        if let bucket { return bucket.has(stored.identifier) && !store.isForgotten(identifier) ? stored : nil }
        guard let expires = expiry else { return nil }
        var renewed = stored
        if case .sidecar(let urls) = location {
            renewed.url = urls.url(of: identifier, expires: expires.seconds)
            renewed.shortURL = urls.shortURL(of: identifier, expires: expires.seconds)
        }
        return renewed
    }

    func end(of stored: StoredAttachment) -> UnixTime? {
        bucket.map { bucket in .now + (bucket.remainingTime(of: stored.identifier) ?? .zero) }
    }

    func release(_ stored: StoredAttachment) { bucket?.release(stored.identifier) }

    func forget(_ stored: StoredAttachment) async {
        guard let file = AttachmentIdentifier(stored.identifier) else { return }
        // Ignores errors: the notification goes out without the file, and `forget` logs its own failures.
        try? await Forgetting.forget(file, in: store, bucket)
    }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredAttachment
    {
        let file = try await store.store(rung)
        try await record(file.identifier, of: source)
        let name = file.identifier.description
        var stored = StoredAttachment(identifier: name, url: FileURL.url(of: file.path), sha256: file.sha256)
        switch location {
        case .here(let isInPayload): stored.isLocal = !isInPayload
        case .sidecar(let urls):
            stored.url = urls.url(of: file.identifier, expires: file.expires.seconds)
            stored.shortURL = urls.shortURL(of: file.identifier, expires: file.expires.seconds)
        case .bucket(let bucket, let publicURL):
            let published = PublishedFile(
                name: name,
                format: rung.report.format.media,
                file: rung.file,
                byteCount: rung.report.byteCount,
                sha256: file.sha256,
            )
            try await bucket.publish(published, until: deadline - Self.notice)
            guard !store.isForgotten(file.identifier) else {
                await forget(stored)
                throw AttachmentFailure(.store, .forgotten, "The attachment was taken back.")
            }
            stored.url = "\(publicURL)/\(name)"
        }
        return stored
    }

    private func record(_ file: AttachmentIdentifier, of source: String) async throws(AttachmentFailure) {
        do throws(FileError) {
            try await store.record(file, of: source)
        } catch {
            throw AttachmentFailure(.store, error.isFull ? .storeFull : .storeFailed, "\(error)")
        }
    }
}
