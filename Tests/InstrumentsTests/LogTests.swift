import DecoderWire
import Decoding
import HTTPClient
import Instruments
import Jobs
import Logging
import Publishing
import Storage
import Support
import Synchronization
import Testing
import Timing
import Worker

@Suite("Events as log lines")
struct LogTests {
    private let time = TestTime()
    private let lines = Lines()

    private var log: WarningLog {
        WarningLog(Logger(label: "test") { [lines] _ in Collector(lines: lines) }, time: time)
    }

    @Test("each event that an operator should know of is a line, and the others are none")
    func events() {
        let log = log
        DecoderLog(log).record(.childEnded(pid: 7, .killed(signal: 31)))
        DecoderLog(log).record(.childEnded(pid: 7, .killed(signal: 11)))
        DecoderLog(log).record(.childEnded(pid: 7, .exited(status: 1)))
        DecoderLog(log).record(.zygoteMissing("gone"))
        DecoderLog(log).record(.zygoteReplaced)
        StoreLog(log).record(.failed(isFull: true))
        StoreLog(log).record(.failed(isFull: false))
        StoreLog(log).record(.stored(byteCount: 1))
        PublishLog(log).record(.failed)
        PublishLog(log).record(.suspended("no answer"))
        PublishLog(log).record(.retried)
        OriginLog(log).record(.opened(host: "a.example"))
        OriginLog(log).record(.waited)
        WorkerLog(log).record(.lost(2))
        WorkerLog(log).record(.gaveBack(2))
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
        for tries in 1...11 { WorkerLog(log).record(.callbackFailed(JobName(id: "7"), tries: tries, result)) }
        let line = "warning A callback failed and is tried again. callback_host=gateway.example job_id=7"
        #expect(
            lines.all == [1, 2, 4, 8].map { "\(line) reason=It answered with HTTP status 500. tries=\($0)" }
        )
    }

    @Test("a peer that causes a thousand warnings causes ten lines, and the next one tells how many are missing")
    func flood() {
        let log = log
        for _ in 0..<1000 { StoreLog(log).record(.failed(isFull: true)) }
        #expect(lines.all.count == 10)
        StoreLog(log).record(.failed(isFull: false))
        #expect(lines.all.count == 11)
        time.advance(by: .seconds(10))
        StoreLog(log).record(.failed(isFull: true))
        #expect(lines.all.last?.hasSuffix("reason=storeFull suppressed=990") == true)
        StoreLog(log).record(.failed(isFull: true))
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
