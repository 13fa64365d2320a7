package import Settings
import Downloads
import Media
import Processing
import Publishing
package import Storage
import Timing

/// The removal of attachments from everywhere: the store, the cache, the work under way, and the bucket. Their links no
/// longer work afterwards.
package struct Forgetting: Sendable {
    private let store: AttachmentStore
    private let bucket: Bucket?
    /// Removes a source from this process's cache, and returns its identifier in the store.
    private let forgetSource: @Sendable (String) async -> (source: String, isEverywhere: Bool)
    private let forgetFile: @Sendable (String) async -> Bool

    private static let patience: Duration = .seconds(20)

    /// Creates the removal for a running worker.
    init(_ engine: Engine) {
        store = engine.store
        bucket = engine.bucket
        forgetSource = { await engine.service.forget(source: $0) }
        forgetFile = { await engine.service.forget(file: $0) }
    }

    /// Creates the removal for a process that processes no attachments.
    package init(_ settings: Settings) throws {
        store = try AttachmentStore(
            at: settings.store,
            keys: settings.signingKeys,
            hasGroupReadableKeys: settings.hasGroupReadableKeys,
            retention: settings.retention,
        )
        bucket = settings.publishing.map { Bucket($0, keep: settings.retention.keep) }
        let identity = SourceIdentity(rules: settings.reuse.sources) { settings.access.key(for: $0) }
        forgetSource = { (identity.source(of: $0), true) }
        forgetFile = { _ in true }
    }

    package func shutDown() { bucket?.shutDown() }

    /// Removes the attachments that `reference` names, and returns the names of the removed files.
    package func forget(_ reference: AttachmentReference) async throws -> [AttachmentIdentifier] {
        var files = Set([reference.file].compactMap(\.self))
        var failure: (any Error)?
        if let url = reference.source {
            let (source, isEverywhere) = await forgetSource(url)
            if !isEverywhere { failure = Self.isElsewhere }
            files.formUnion(try await store.files(of: source))
        }
        for file in files {
            if await !forgetFile(file.description) { failure = failure ?? Self.isElsewhere }
            do {
                try await Self.forget(file, in: store, bucket)
            } catch {
                // Continues with the other files.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return files.sorted { $0.description < $1.description }
    }

    private static let isElsewhere = AttachmentFailure(
        .store,
        .publishFailed,
        "The queue's Redis did not answer, so other workers of the fleet may still use the file. Take it back again.",
    )

    static func forget(_ file: AttachmentIdentifier, in store: AttachmentStore, _ bucket: Bucket?) async throws {
        try await store.forget(file)
        try await bucket?.remove(file.description, until: SystemTime().now + Self.patience)
    }
}
