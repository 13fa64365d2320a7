import Base
import Dispatch
import Downloads
import Glibc
import Logging
import Media
import Observability
import Payloads
import Processing
import ServiceLifecycle
import Sidecar

// Answers notifications over HTTP whose picture is kept, all with one picture, as in a campaign: `request-path COUNT`.
// `Scripts/instructions` counts what that takes. Only the download, the decoder and the disk are stand-ins.

guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]) else {
    print("usage: request-path COUNT")
    exit(64)
}
let writer = LogWriter { bytes in bytes.count }
let log = Logger(label: "attachd") { LineLogHandler(label: $0, format: .json, writer: writer) }
let warnings = WarningLog(log)
let observers = Observers(log, warnings, sample: 1, exports: SpanExportObserver(log: warnings))
let steps = AttachmentPipeline.Steps(
    downloader: OnePicture(downloader: Downloader(settings: DownloadSettings())),
    converter: Copier(),
    store: OneFile(),
)
var configuration = SidecarServer.Configuration()
configuration.port = 0
let listening = PortRecorder()
let server = SidecarServer(
    configuration: configuration,
    service: NotificationService(
        reader: PayloadReader(),
        pipeline: AttachmentPipeline(steps: steps, recorder: observers.processing),
    ),
    checkReadiness: {},
    metrics: { "" },
    logger: log,
    recorder: RecorderGroup(observers.requests, listening),
)
Task.detached { try await ServiceGroup(services: [server], logger: log).run() }
// The main thread waits without `await`: valgrind cannot follow a main thread that ends.
let client = Client(port: listening.wait())
for number in 0..<count { client.send(number) }
exit(0)

// MARK: - The client

/// A client with one connection, which sends one notification after another.
struct Client {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init(port: Int) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe connect(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard isConnected == 0 else { fatalError("no connection") }
    }

    /// Sends a notification, and waits for its answer.
    func send(_ number: Int) {
        let body = """
            {"aps":{"alert":{"title":"Autumn sale","body":"Hello number \(number), have a look!"},"badge":\(number % 10),\
            "mutable-content":1,"sound":"default","thread-id":"sale"},"my-attachment":"https://example.com/photo.jpg",\
            "user":{"id":\(9_007_199_254_740_993 + number),"segment":"s\(number % 97)"}}
            """
        let head = "POST /v1/rewrite HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let request = Array((head + body).utf8)
        guard unsafe write(socket, request, request.count) == request.count else { fatalError("the request is cut") }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 2048)
        while answer.last != UInt8(ascii: "}") {
            let count = unsafe read(socket, &part, part.count)
            guard count > 0 else { fatalError("the answer is cut") }
            answer += part[..<count]
        }
        guard answer.starts(with: Array("HTTP/1.1 200".utf8)) else {
            fatalError(String(decoding: answer, as: UTF8.self))
        }
    }
}

/// A recorder that tells at which port the server listens.
final class PortRecorder: EventRecorder {
    private let port = OneShot<Int>()
    private let isKnown = DispatchSemaphore(value: 0)

    func record(_ event: SidecarEvent) {
        guard case .listening(let number) = event else { return }
        port.set(number)
        isKnown.signal()
    }

    func wait() -> Int {
        isKnown.wait()
        return port.current ?? 0
    }
}

// MARK: - The stand-ins

/// A download of a picture that stays fresh, from URLs that the real downloader resolves.
struct OnePicture: AttachmentDownloading {
    let downloader: Downloader

    func resolve(_ text: String) -> Source { downloader.resolve(text) }

    func download(_ job: DownloadJob) async {
        let answer = SourceFreshness.Answer(lifetime: .seconds(3600), received: SystemTime().now)
        job.onEvent(.head(SourceHead(status: 200, freshness: SourceFreshness(answers: [answer]))))
        try? job.file.append([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 600))
        job.file.end(.whole)
    }
}

struct Copier: AttachmentConverting {
    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        guard let file = try? OutputFile(capacity: 7) else { return .zero }
        let report = RungReport(rung: .downscaled, format: .jpeg, byteCount: 7)
        job.onEvent(.output(ReadyRung(report: report, file: file)))
        return .zero
    }
}

struct OneFile: AttachmentStoring {
    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        let identifier = "abcdefghijklmnopqrstuvwxyz.jpg"
        return StoredFile(
            identifier: identifier,
            url: "https://push.example/v1/attachments/\(identifier)",
            sha256: "00"
        )
    }

    func renew(_ stored: StoredFile) async -> StoredFile? { stored }
    func renewAtOnce(_ stored: StoredFile) -> StoredFile? { stored }
}
