import Base
import Logging
import Media
import Payloads
import Preview
import Processing
import ServiceLifecycle
import Sidecar
import Storage
import Support

/// A sidecar on a free port, with steps that answer at once.
struct SidecarFixture: LocalServer {
    let port: Int
    let service: NotificationService
    private let server: SidecarServer
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    static func run<Value: Sendable>(
        token: String? = nil,
        requestLimit: Int = 8,
        downloadLimit: Int = 256,
        clients: ClientLimits = ClientLimits(),
        heartbeats: LoopHeartbeats = LoopHeartbeats(),
        commit: String? = nil,
        started: Signal? = nil,
        hold: Signal? = nil,
        isReady: Bool = true,
        store: AttachmentStore? = nil,
        handover: FileHandover? = nil,
        now: @escaping @Sendable () -> UnixTime = { .now },
        preview: PreviewFixture? = nil,
        formats: FormatSwitch = FormatSwitch(),
        takesFormats: Bool = true,
        _ body: (SidecarFixture) async throws -> Value,
    ) async throws -> Value {
        let picture = OnePicture(started: started, hold: hold)
        let holds = preview?.holds
        let attachments = (store ?? preview?.store).map { store in
            AttachmentsRoute(
                store: store,
                holds: holds,
                forget: { try await Self.forget($0, in: store) },
                handover: handover,
                now: now,
            )
        }
        var configuration = SidecarServer.Configuration()
        configuration.version = "9.8"
        configuration.commit = commit
        configuration.port = 0
        configuration.apiToken = token.map { Replaceable(Secret($0)) }
        configuration.requestLimit = requestLimit
        configuration.downloadLimit = downloadLimit
        configuration.clients = clients
        configuration.heartbeats = heartbeats
        let route = FormatsRoute(lists: { formats.lists }) { disabled in
            guard takesFormats else { throw AttachmentFailure(.store, .publishFailed, "No Redis.") }
            formats.replace(fleet: disabled)
        }
        let fixture = await SidecarFixture(configuration, picture, isReady, attachments, preview, route)
        do {
            let value = try await body(fixture)
            await fixture.stop()
            return value
        } catch {
            await fixture.stop()
            throw error
        }
    }

    private init(
        _ configuration: SidecarServer.Configuration,
        _ downloader: OnePicture,
        _ isReady: Bool,
        _ attachments: AttachmentsRoute?,
        _ preview: PreviewFixture?,
        _ formats: FormatsRoute,
    ) async {
        let steps = AttachmentPipeline.Steps(
            downloader: downloader,
            converter: Copier(),
            store: NamedStore(name: preview?.file.description ?? "a"),
        )
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let events = RecordedEvents<SidecarEvent>()
        service = NotificationService(reader: PayloadReader(), pipeline: AttachmentPipeline(steps: steps))
        let server = SidecarServer(
            configuration: configuration,
            service: service,
            attachments: attachments,
            preview: preview?.routes(needsToken: configuration.apiToken != nil),
            responses: preview.map { ResponsesRoute(categories: $0.categories, webhook: $0.webhook) },
            formats: formats,
            checkReadiness: {
                if !isReady { throw AttachmentFailure(.decode, .decoderUnavailable, "No decoder.") }
            },
            metrics: { "attachd_test 1\n" },
            logger: logger,
            recorder: events,
        )
        self.server = server
        let group = ServiceGroup(services: [server], logger: logger)
        self.group = group
        task = Task { try await group.run() }
        port = await events.first { event -> Int? in if case .listening(let port) = event { port } else { nil } } ?? 0
    }

    private static func forget(
        _ reference: AttachmentReference,
        in store: AttachmentStore,
    ) async throws -> ForgottenAttachments {
        var files = [reference.file].compactMap(\.self)
        if let source = reference.source { files += try await store.files(of: source) }
        for file in files { try await store.forget(file) }
        return ForgottenAttachments(files: files, workers: 1, isKnown: !files.isEmpty)
    }

    /// Begins the end, as SIGTERM does.
    func drain(within limit: Duration) { server.drain(within: limit) }

    /// Stops to take requests, as attachd does a while after SIGTERM.
    func beginShutdown() async { await group.triggerGracefulShutdown() }

    func stop() async {
        await group.triggerGracefulShutdown()
        _ = await task.result
    }
}

/// A download that signals its start, and delivers a picture on another signal.
private struct OnePicture: AttachmentDownloading {
    var started: Signal?
    var hold: Signal?

    func download(_ job: DownloadJob) async {
        started?.send()
        await hold?.hang()
        try? job.file.append([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 600))
        job.file.end(.whole)
    }
}

private struct Copier: AttachmentConverting {
    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        if let rung = try? ReadyRung(Array("picture".utf8)) { job.onEvent(.output(rung)) }
        return .zero
    }
}

private struct NamedStore: AttachmentStoring {
    var name: String

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        StoredFile(identifier: name, url: "file:///store/a.jpg", sha256: "00")
    }

    func renew(_ stored: StoredFile) async -> StoredFile? { stored }
}
