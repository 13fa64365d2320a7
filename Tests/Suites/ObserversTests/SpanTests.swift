import Base
import HTTPClient
import Jobs
import Media
import Observability
import Processing
import Storage
import Synchronization
import Testing

@testable import Sidecar

@Suite("Events as spans")
struct SpanTests {
    private let finished = Finished()

    private var observers: Observers {
        .silent(tracer: SpanTracer { [finished] span in finished.spans.withLock { $0.append(span) } })
    }

    private var spans: [FinishedSpan] { finished.spans.withLock { $0 } }

    private static let caller = TraceContext(
        parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        state: "a=1",
    )

    @Test("a request is a span of its caller's trace with its route and status, and steps are below it")
    func request() throws {
        let observers = observers
        observers.requests.record({ .work($0, .begins(caller: Self.caller)) }) { request in
            observers.processing.record({ .step($0, .downloads(Source("https://a.example/secret"))) }) { step in
                observers.processing.record(
                    .step(step, .failed(AttachmentFailure(.download, .timedOut, "It is late.")))
                )
            }
            observers.requests.record(
                .work(request, .answered(AnsweredRequest(method: "POST", route: "/v1/rewrite", status: 503)))
            )
        }
        #expect(spans.map(\.name) == ["download", "POST /v1/rewrite"])
        let (download, root) = (try #require(spans.first), try #require(spans.last))
        #expect(download.parent == root.context.span && root.parent?.description == "00f067aa0ba902b7")
        #expect(Set(spans.map { "\($0.context.trace)" }) == ["4bf92f3577b34da6a3ce929d0e0e4736"])
        #expect(spans.map(\.context.state) == ["a=1", "a=1"] && spans.map(\.kind) == [.client, .server])
        #expect(download.record.attributes["error.type"] == "timedOut" && download.record.failure == "It is late.")
        #expect(root.record.attributes["http.response.status_code"] == 503 && root.record.isFailed)
        #expect(!"\(spans)".contains("secret"))
    }

    @Test("the conversion of an attachment has its outputs as events, and its store the upload below it")
    func attachment() throws {
        let observers = observers
        let (decoder, store) = (observers.processing, observers.publishing)
        decoder.record({ .step($0, .decodes(.jpeg)) }) { step in
            decoder.record(.step(step, .progresses(.decoding(since: SystemTime().now))))
            decoder.record(.step(step, .decoded(worked: .milliseconds(7))))
        }
        #expect(spans.last?.record.events.map(\.name) == ["decoder started"])
        #expect(spans.last?.record.attributes["attachd.worked_ms"] == 7)
        #expect(spans.last?.record.attributes["attachd.waited_ms"] != nil)
        let failure = AttachmentFailure(.decode, .cancelled, "Nobody waits.")
        decoder.record({ .step($0, .decodes(.jpeg)) }) { decoder.record(.step($0, .failed(failure))) }
        #expect(spans.last?.record.isFailed == false)
        decoder.record({ .step($0, .decodes(.jpeg)) }) { _ in
            store.record(.published(byteCount: 5, took: .seconds(2)))
        }
        let (upload, parent) = (try #require(spans.dropLast().last), try #require(spans.last))
        #expect(upload.name == "publish" && upload.parent == parent.context.span)
        #expect(upload.end - upload.start == .seconds(2) && upload.record.attributes["attachd.bytes"] == 5)
    }

    @Test("a job is a span of its producer's trace with the time in the queue below it, and a callback follows it")
    func job() throws {
        let workers = observers.workers
        let now = SystemTime().now
        let job = Job(id: "a", timeLimit: .seconds(5), content: [], trace: Self.caller)
        let leased = LeasedJob(
            lease: Lease(entry: "1", fence: 1),
            job: job,
            deadline: now,
            enqueued: now,
            starts: 0,
        )
        workers.record({ .work($0, .begins(leased, waited: .seconds(3))) }) {
            workers.record(.work($0, .answered(.ok)))
        }
        #expect(spans.map(\.name) == ["queue", "process job"])
        let (queue, work) = (try #require(spans.first), try #require(spans.last))
        #expect(queue.parent == work.context.span && queue.end - queue.start == .seconds(3))
        #expect(
            work.parent?.description == "00f067aa0ba902b7"
                && work.record.links.map(\.context.span) == [work.parent]
        )
        #expect(
            work.record.attributes["attachd.status"] == "ok" && work.record.attributes["messaging.message.id"] == "a"
        )
    }

    @Test("without a tracer, nothing has a span, and the caller's trace goes on")
    func off() {
        let observers = Observers.silent()
        observers.requests.record({ .work($0, .begins(caller: Self.caller)) }) {
            #expect($0.span == nil && RecordedSpan.current == nil)
        }
    }
}

private final class Finished: Sendable {
    let spans = Mutex<[FinishedSpan]>([])
}
