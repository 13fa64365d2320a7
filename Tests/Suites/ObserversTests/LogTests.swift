import Base
import DecoderWire
import Decoding
import HTTPClient
import Jobs
import Logging
import Observability
import Storage
import Support
import Synchronization
import Testing

@Suite("Events as log lines")
struct LogTests {
    private let time = TestTime()
    private let lines = Lines()

    private var observers: Observers {
        let logger = Logger(label: "test") { [lines] _ in Collector(lines: lines) }
        let warnings = WarningLog(logger, time: time)
        return Observers(logger, warnings, sample: nil, exports: SpanExportObserver(log: warnings))
    }

    @Test("each event that an operator should know of is a line, and the others are none")
    func events() {
        let observers = observers
        observers.decoders.record(.childEnded(pid: 7, .killed(signal: 31)))
        observers.decoders.record(.childEnded(pid: 7, .killed(signal: 11)))
        observers.decoders.record(.childEnded(pid: 7, .exited(status: 1)))
        observers.decoders.record(.zygoteMissing("gone"))
        observers.decoders.record(.zygoteReplaced)
        observers.store.record(.failed(isFull: true))
        observers.store.record(.failed(isFull: false))
        observers.store.record(.stored(byteCount: 1))
        observers.publishing.record(.failed)
        observers.publishing.record(.suspended("no answer"))
        observers.publishing.record(.retried)
        observers.origins.record(.opened(host: "a.example"))
        observers.origins.record(.waited)
        observers.workers.record(.lost(2))
        observers.workers.record(.gaveBack(2))
        #expect(
            lines.all == [
                "warning A decoder process made a forbidden system call and was killed. pid=7",
                "warning A decoder process was killed. pid=7 signal=11",
                "warning A decoder process ended by itself. pid=7 status=1",
                "error Decoder processes cannot be started. reason=gone",
                "warning An attachment was not stored: the disk or its quota is full. reason=storeFull",
                "warning An attachment was not stored. reason=storeFailed",
                "warning A file was not published. reason=publishFailed",
                "warning The bucket failed too often and is left alone for a while. reason=no answer",
                "warning An origin failed too often and is left alone for a while. source_host=a.example",
                "warning Leases of jobs were lost. Another worker does these jobs again. jobs=2",
            ]
        )
    }

    @Test("a callback's first failure is a line, and then fewer and fewer are")
    func callbacks() {
        let result = CallbackResult(.failed, reason: "It answered with HTTP status 500.", host: "gateway.example")
        for tries in 1...11 { observers.workers.record(.callbackFailed(JobName(id: "7"), tries: tries, result)) }
        let line = "warning A callback failed and is tried again. callback_host=gateway.example job_id=7"
        #expect(
            lines.all == [1, 2, 4, 8].map { "\(line) reason=It answered with HTTP status 500. tries=\($0)" }
        )
    }

    @Test("a peer that causes a thousand warnings causes ten lines, and the next one tells how many are missing")
    func flood() {
        let observers = observers
        for _ in 0..<1000 { observers.store.record(.failed(isFull: true)) }
        #expect(lines.all.count == 10)
        observers.store.record(.failed(isFull: false))
        #expect(lines.all.count == 11)
        time.advance(by: .seconds(10))
        observers.store.record(.failed(isFull: true))
        #expect(lines.all.last?.hasSuffix("reason=storeFull suppressed=990") == true)
        observers.store.record(.failed(isFull: true))
        #expect(lines.all.last?.hasSuffix("reason=storeFull") == true)
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

private struct Collector: LogHandler {
    let lines: Lines
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.add((["\(event.level)", "\(event.message)"] + values).joined(separator: " "))
    }
}
