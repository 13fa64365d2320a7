import Base
import Downloads
import HTTPClient
import Media
import Support
import Synchronization
import Testing

@Suite("Origins that fail", .timeLimit(.minutes(10)))
struct FailingOriginTests {
    /// Downloads from an origin that gives one scripted answer.
    private func fetch(
        _ answer: OriginAnswer,
        byteLimit: Int = 1_000_000,
        timeLimit: Duration = .seconds(540),
        stall: StallRule = StallRule(),
    ) async throws -> Fetched {
        let origin = try OriginServer { _ in answer }
        defer { origin.stop() }
        var settings = try DownloadSettings.opening("127.0.0.1")
        settings.http.stall = stall
        let downloader = Downloader(settings: settings)
        let fetched = try await downloader.fetch(origin.url(), byteLimit: byteLimit, timeLimit: timeLimit)
        #expect(fetched.isConsistent)
        return fetched
    }

    @Test(
        "a status other than 200 is a failure that names it",
        arguments: [204, 206, 300, 304, 404, 410, 429, 500, 503]
    )
    func status(status: Int) async throws {
        let body = [204, 304].contains(status) ? [] : Array("<html>secret</html>".utf8)
        let fetched = try await fetch(.status(status, body: body))
        #expect(fetched.reason == .httpStatus)
        #expect(fetched.failure?.message == "127.0.0.1 answered with HTTP status \(status) instead of 200.")
        #expect(fetched.bytes.isEmpty)
    }

    @Test(
        "an empty body is asked for three more times, and is then a failure",
        arguments: [OriginAnswer.empty, .chunked([])]
    )
    func empty(answer: OriginAnswer) async throws {
        let origin = try OriginServer { _ in answer }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url())
        #expect(fetched.reason == .empty && fetched.isConsistent && origin.requests.count == 4)
    }

    @Test("a camera that wakes up delivers its picture with a later answer")
    func wakingCamera() async throws {
        let isAwake = Atomic(false)
        let origin = try OriginServer { _ in
            isAwake.exchange(true, ordering: .relaxed) ? .body([1, 2, 3]) : .empty
        }
        defer { origin.stop() }
        #expect(try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url()).bytes == [1, 2, 3])
        #expect(origin.requests.count == 2)
    }

    @Test("a body that ends before its declared length is truncated, and the bytes that came are kept")
    func short() async throws {
        let fetched = try await fetch(.claiming(length: 2_000, body: pattern(1_000)))
        #expect(fetched.reason == .truncated)
        #expect(fetched.holds(pattern(1_000)))
    }

    @Test("bytes after the declared length are not read")
    func long() async throws {
        let fetched = try await fetch(.claiming(length: 1_000, body: pattern(2_000)))
        #expect(fetched.failure == nil)
        #expect(fetched.holds(pattern(1_000)))
    }

    @Test("a chunked body that breaks off is truncated")
    func brokenChunks() async throws {
        var answer = OriginAnswer.body(Array("400\r\n".utf8) + pattern(1_000))
        answer.headers = [("Transfer-Encoding", "chunked")]
        answer.framing = .none
        let fetched = try await fetch(answer)
        #expect(fetched.reason == .truncated)
        #expect(fetched.holds(pattern(1_000)))
    }

    @Test("a reset before the answer is a failure; a reset after bytes of the body is a truncated source")
    func reset() async throws {
        var answer = OriginAnswer.reset(after: 0, of: [])
        answer.speaks = false
        #expect(try await fetch(answer).reason == .connectionFailed)
        #expect(try await fetch(.reset(after: 500_000, of: pattern(1_000_000))).reason == .truncated)
    }

    @Test("a body that stalls halfway is given up, and the bytes that came are kept")
    func stalled() async throws {
        let rule = StallRule(window: .milliseconds(100))
        let fetched = try await fetch(.stall(after: 5_000, of: pattern(10_000)), stall: rule)
        #expect(fetched.reason == .stalled)
        #expect(fetched.holdsBeginning(of: pattern(5_000)))
        #expect(fetched.failure?.message == "127.0.0.1 sent less than 1 byte in 0.1 seconds.")
    }

    @Test("an origin that accepts the request and never answers is given up")
    func silent() async throws {
        #expect(try await fetch(.silence, stall: StallRule(window: .milliseconds(100))).reason == .stalled)
    }

    @Test("a drip below the minimum rate is given up, and one above it arrives")
    func drip() async throws {
        let drip = OriginAnswer.drip(pattern(1_000), every: .milliseconds(20))
        #expect(try await fetch(drip, stall: StallRule(byteCount: 500, window: .milliseconds(200))).reason == .stalled)
        let short = OriginAnswer.drip(pattern(20), every: .milliseconds(5))
        #expect(try await fetch(short).holds(pattern(20)))
    }

    @Test("the time limit is kept, and so are the bytes that came")
    func timeLimit() async throws {
        let fetched = try await fetch(.stall(after: 5_000, of: pattern(10_000)), timeLimit: .milliseconds(200))
        #expect(fetched.reason == .timedOut)
        #expect(fetched.holdsBeginning(of: pattern(5_000)))
        #expect(try await fetch(.body([1]), timeLimit: .zero).reason == .timedOut)
    }

    @Test("the byte limit is counted while reading", arguments: [OriginAnswer.Framing.contentLength, .chunked, .none])
    func byteLimit(framing: OriginAnswer.Framing) async throws {
        var answer = OriginAnswer.body(pattern(100_000))
        answer.framing = framing
        #expect(try await fetch(answer, byteLimit: 100_000).failure == nil)
        let fetched = try await fetch(answer, byteLimit: 99_999)
        #expect(fetched.reason == .tooLarge)
        #expect(fetched.file.progress.byteCount <= 99_999)
    }

    @Test("headers have a limit in bytes")
    func headers() async throws {
        var answer = OriginAnswer.body([1])
        answer.headers = (0..<700).map { ("X-Filler-\($0)", String(repeating: "a", count: 100)) }
        #expect(try await fetch(answer).reason == .tooLarge)
    }

    @Test("headers have a limit in lines, too")
    func headerLines() async throws {
        var answer = OriginAnswer.body([1])
        answer.headers = (0..<300).map { _ in ("Vary", "a") }
        #expect(try await fetch(answer).reason == .tooLarge)
    }

    @Test(
        "a Retry-After of any number is accepted and bounded",
        arguments: ["9223372036854775807", "99999999999999999999", "-1", "Fri, 31 Dec 99999 23:59:59 GMT"],
    )
    func retryAfter(value: String) async throws {
        var answer = OriginAnswer.status(503)
        answer.headers = [("Retry-After", value)]
        #expect(try await fetch(answer).reason == .httpStatus)
    }

    @Test(
        "an answer that isn't HTTP/1.1 is a failure, and so are frames of HTTP/2",
        arguments: ["SSH-2.0-OpenSSH_9.2\r\n", http2Answer, String(repeating: http2Answer, count: 10_000)]
    )
    func garbage(text: String) async throws {
        var answer = OriginAnswer.body([])
        answer.rawHead = Array(text.utf8)
        answer.ending = .close
        #expect(try await fetch(answer).reason == .connectionFailed)
    }

    /// SETTINGS, HEADERS with the status 200, and DATA of one byte (RFC 9113 §6, RFC 7541 appendix A).
    private static let http2Answer =
        "\0\0\0\u{4}\0\0\0\0\0" + "\0\0\u{5}\u{1}\u{4}\0\0\0\u{1}\u{8}\u{3}200" + "\0\0\u{1}\0\u{1}\0\0\0\u{1}x"

    @Test("a closed port and an unknown name are failures")
    func unreachable() async throws {
        let origin = try OriginServer { _ in .empty }
        origin.stop()
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        #expect(try await downloader.fetch("http://127.0.0.1:1/").reason == .connectionFailed)
        #expect(try await downloader.fetch("http://nobody.invalid/").reason == .refusedAddress)
    }
}
