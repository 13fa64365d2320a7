import Base
import Downloads
import Files
import HTTPClient
package import Jobs
import Media
import Processing
import ServiceLifecycle
package import Settings
package import Storage

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
    /// This worker's knowledge of deletions in its fleet, or `nil` without a fleet.
    var fleet: FleetKnowledge?

    /// The time before a request's deadline at which it is given up, so that its error can still be reported.
    private static let notice: Duration = .milliseconds(20)

    private var bucket: Bucket? {
        if case .bucket(let bucket, _) = location { bucket } else { nil }
    }

    var cost: Duration { bucket?.cost ?? .zero }
    var refusal: AttachmentFailure? { bucket?.refusal }

    func renew(_ stored: StoredFile) async -> StoredFile? {
        guard let identifier = AttachmentIdentifier(stored.identifier) else { return nil }
        let expiry = await store.renew(identifier)
        // The lease may have ended since the file was found in the cache.
        guard fleet?.mayServe(stored.identifier) ?? true else { return nil }
        // A file that is missing from the bucket must be made again, because its bytes are gone. One that is in the bucket
        // need not be here: another worker may have made it.
        if let bucket {
            guard bucket.has(stored.identifier), await !store.isForgotten(identifier) else { return nil }
            return stored
        }
        return expiry.map { link(stored, to: identifier, until: $0) }
    }

    func renewAtOnce(_ stored: StoredFile) -> StoredFile? {
        guard bucket == nil, let identifier = AttachmentIdentifier(stored.identifier),
            let expiry = store.presentExpiry(of: identifier), fleet?.mayServe(stored.identifier) ?? true
        else { return nil }
        return link(stored, to: identifier, until: expiry)
    }

    /// Returns the file with the URLs that are valid until `expiry`.
    private func link(_ stored: StoredFile, to identifier: AttachmentIdentifier, until expiry: UnixTime) -> StoredFile {
        guard case .sidecar(let urls) = location else { return stored }
        var renewed = stored
        renewed.url = urls.url(of: identifier, expires: expiry.seconds)
        renewed.shortURL = urls.shortURL(of: identifier, expires: expiry.seconds)
        return renewed
    }

    func end(of stored: StoredFile) -> UnixTime? {
        bucket.map { bucket in .now + (bucket.remainingTime(of: stored.identifier) ?? .zero) }
    }

    func release(_ stored: StoredFile) { bucket?.release(stored.identifier) }

    func isForgotten(_ stored: StoredFile) -> Bool {
        AttachmentIdentifier(stored.identifier).map(store.knowsForgotten) ?? false
    }

    func forget(_ stored: StoredFile) async {
        guard let file = AttachmentIdentifier(stored.identifier) else { return }
        // Ignores errors: the notification goes out without the file, and `forget` logs its own failures.
        try? await Forgetting.forget(file, in: store, bucket)
    }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        let file = try await store.store(rung, of: source)
        await fleet?.record(file.identifier.description, of: Forgetting.name(ofSource: source))
        let name = file.identifier.description
        var stored = StoredFile(identifier: name, url: FileURL.url(of: file.path), sha256: file.sha256)
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
            // Others may have removed it since.
            if fleet?.isCurrent == false { bucket.release(name) }
            try await bucket.publish(published, until: deadline - Self.notice)
            guard await !store.isForgotten(file.identifier) else {
                await forget(stored)
                throw AttachmentFailure(.store, .forgotten, "The attachment was taken back.")
            }
            stored.url = "\(publicURL)/\(name)"
        }
        return stored
    }
}

extension AttachmentStore {
    /// Opens the store that the settings name.
    convenience init(
        _ settings: Settings,
        recorder: any EventRecorder<StoreEvent> = NoRecorder<StoreEvent>(),
    ) throws(FileError) {
        try self.init(
            at: settings.store,
            keys: settings.signingKeys,
            hasGroupReadableKeys: settings.hasGroupReadableKeys,
            group: settings.storeGroup,
            retention: settings.retention,
            recorder: recorder,
        )
    }
}

// MARK: - Forgetting

/// The removal of attachments: from the store, the cache, the work under way, the bucket, and all workers of the queue. Their
/// links no longer work afterwards.
package struct Forgetting: Sendable {
    private let store: AttachmentStore
    private let bucket: Bucket?
    private let fleet: FleetKnowledge?
    /// Removes a source from this process's cache, and returns its identity.
    private let forgetSource: @Sendable (String) async -> String
    private let forgetFile: @Sendable (String) -> Void

    private static let timeLimit: Duration = .seconds(20)

    /// Creates the removal for a running worker.
    init(_ engine: Engine) {
        (store, bucket, fleet) = (engine.store, engine.bucket, engine.fleet)
        forgetSource = { await engine.service.forget(source: $0) }
        forgetFile = { engine.service.forget(file: $0) }
    }

    /// Creates the removal for a process that processes no attachments, in a fleet if there is one.
    package init(_ settings: Settings, _ fleetStore: (any FleetStore)?) throws {
        store = try AttachmentStore(settings)
        bucket = settings.publishing.map { Bucket($0, keep: settings.retention.keep) }
        fleet = fleetStore.map { store in
            let fleet = FleetKnowledge(keep: settings.retention.keep, recorder: NoRecorder<FleetEvent>())
            fleet.connect(store) { _, _ in }
            return fleet
        }
        let resolver = SourceResolver(rules: settings.reuse.sources) { settings.access.resolve($0) }
        forgetSource = { resolver.source(of: $0).identity }
        forgetFile = { _ in }
    }

    package func shutDown() { bucket?.shutDown() }

    /// Returns the name of a source in the fleet: a digest, because a source that was taken back is to be forgotten.
    static func name(ofSource identity: String) -> String {
        Hexadecimal.text(Array(SHA256.digest(of: Array("attachd source\n\(identity)".utf8)).prefix(16)))
    }

    /// Takes back what `reference` names, also if nothing is known of it yet. Returns when no worker of the queue has it.
    package func forget(_ reference: AttachmentReference) async throws -> ForgottenAttachments {
        var files = Set([reference.file].compactMap(\.self))
        var isKnown = false
        if let file = reference.file { isKnown = await store.isForgotten(file) || store.has(file) }
        var source: String?
        if let url = reference.source {
            let identity = await forgetSource(url)
            let made = try await store.files(of: identity)
            isKnown = isKnown || !made.isEmpty
            files.formUnion(made)
            source = Self.name(ofSource: identity)
        }
        var (names, workers) = (Set(files.map(\.description)), 1)
        if let fleet {
            let taken = try await fleet.takeBack(names, source: source, remove: remove)
            (names, workers) = (taken.files, taken.workers)
            isKnown = isKnown || taken.first.isKnown
        } else {
            try await remove(names)
        }
        let all = names.sorted().compactMap { AttachmentIdentifier($0) }
        return ForgottenAttachments(files: all, workers: workers, isKnown: isKnown)
    }

    private func remove(_ files: Set<String>) async throws {
        var failure: (any Error)?
        for file in files.compactMap({ AttachmentIdentifier($0) }) {
            forgetFile(file.description)
            do {
                try await Self.forget(file, in: store, bucket)
            } catch {
                // Continues with the other files.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Takes back in this process what another one has taken back. At the start, the bucket has nothing of this process.
    func apply(_ mark: FleetMark, isAtStart: Bool, by service: NotificationService) async throws {
        if let source = mark.source { service.forget(sourceNamed: source) }
        for file in mark.files.compactMap({ AttachmentIdentifier($0) }) {
            forgetFile(file.description)
            try await Self.forget(file, in: store, isAtStart ? nil : bucket)
        }
    }

    static func forget(_ file: AttachmentIdentifier, in store: AttachmentStore, _ bucket: Bucket?) async throws {
        try await store.forget(file)
        try await bucket?.remove(file.description, until: SystemTime().now + Self.timeLimit)
    }
}

// MARK: - Sweeping

/// A service that sweeps the store at intervals, and keeps there which sites are known.
struct StoreSweeper: Service {
    let store: AttachmentStore
    let downloader: Downloader
    let time: any TimeSource

    /// The file with the names of sites that have answered.
    static let sitesFile = "sites"

    /// The time between two sweeps; shorter if files are kept for a few minutes only.
    private var interval: Duration { max(.seconds(1), min(.seconds(60), store.retention.keep / 4)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var kept: [String] = []
            repeat {
                await store.sweep()
                let sites = downloader.client.knownSites
                if sites != kept, await keep(sites) { kept = sites }
            } while (try? await time.sleep(for: interval)) != nil
        }
        // The end does not wait for a disk that hangs.
        await time.answer(by: time.now + .seconds(1)) {
            _ = await keep(downloader.client.knownSites)
        } else: {
        }
    }

    /// Returns whether that succeeded. If not, sites that are known now are strangers after a restart.
    private func keep(_ sites: [String]) async -> Bool { (try? await store.keep(sites, in: Self.sitesFile)) != nil }
}
