import Base
import Media
import Testing

@testable import LoadTest

@Suite("The origin's answers")
struct AnswerPlanTests {
    private static let facts = AnswerPlan.Facts(byteCount: 1000, mimeType: "image/jpeg", tag: "\"a\"")

    private func plan(_ faults: String = "", range: String? = nil, method: String = "GET") throws -> AnswerPlan {
        var random = SplitMix(seed: 1)
        let question = AnswerPlan.Question(method: method, path: "/a.jpg", query: faults, range: range)
        return AnswerPlan(question, Self.facts, Behaviour(try Faults(query: faults).all, using: &random))
    }

    private func header(_ name: String, _ plan: AnswerPlan) -> String? { plan.headers.first { $0.name == name }?.value }

    @Test("without faults, the answer is the file with its type and length")
    func honest() throws {
        let plan = try plan()
        #expect(plan.status == 200)
        #expect(plan.body == .file(0..<1000))
        #expect(header("Content-Type", plan) == "image/jpeg")
        #expect(header("Content-Length", plan) == "1000")
        #expect(header("Accept-Ranges", plan) == "bytes")
        #expect(plan.keepsAlive)
        #expect(String(decoding: plan.head, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        #expect(String(decoding: plan.head, as: UTF8.self).hasSuffix("\r\n\r\n"))
    }

    @Test(
        "ranges are answered according to HTTP",
        arguments: [
            ("bytes=0-99", 206, 0..<100), ("bytes=900-", 206, 900..<1000), ("bytes=-10", 206, 990..<1000),
            ("bytes=990-2000", 206, 990..<1000), ("bytes=1000-1001", 416, 0..<0), ("bytes=5-2", 200, 0..<1000),
            ("bytes=0-1,5-6", 200, 0..<1000), ("pages=1-2", 200, 0..<1000),
            ("bytes=0-9223372036854775807", 206, 0..<1000), ("bytes=9223372036854775807-", 416, 0..<0),
            ("bytes=-9223372036854775807", 206, 0..<1000), ("bytes=99999999999999999999-", 200, 0..<1000),
        ]
    )
    func ranges(text: String, status: Int, part: Range<Int>) throws {
        let plan = try plan(range: text)
        #expect(plan.status == status)
        if status == 416 {
            #expect(header("Content-Range", plan) == "bytes */1000")
        } else {
            #expect(plan.body == .file(part))
        }
    }

    @Test("an origin without ranges sends the whole file, and one that refuses them 416")
    func noRanges() throws {
        let off = try plan("ranges=off", range: "bytes=0-99")
        #expect(off.status == 200)
        #expect(off.body == .file(0..<1000))
        #expect(header("Accept-Ranges", off) == nil)
        #expect(try plan("ranges=refuse", range: "bytes=0-99").status == 416)
    }

    @Test("an origin that lies about ranges claims the requested range, and sends as many bytes of another")
    func lyingRanges() throws {
        let plan = try plan("ranges=lie", range: "bytes=0-99")
        #expect(plan.status == 206)
        #expect(header("Content-Range", plan) == "bytes 0-99/1000")
        guard case .file(let part) = plan.body else { return #expect(Bool(false), "no file") }
        #expect(part.count == 100)
        #expect(part.lowerBound > 0)
        #expect(part.upperBound <= 1000)
    }

    @Test(
        "a false length ends the connection",
        arguments: [("length=%2B100", "1100"), ("length=-100", "900"), ("length=5", "5")]
    )
    func lengths(fault: String, claimed: String) throws {
        let plan = try plan(fault)
        #expect(header("Content-Length", plan) == claimed)
        #expect(!plan.keepsAlive)
        #expect(plan.bodyCount == 1000)
    }

    @Test("a counted redirect leads to the same file with one redirect less, and finally to the file")
    func redirects() throws {
        let plan = try plan("redirect=2&n=7")
        #expect(plan.status == 302)
        #expect(header("Location", plan) == "/a.jpg?n=7&redirect=1")
        #expect(try self.plan("redirect=0").status == 200)
        #expect(header("Location", try self.plan("redirect=loop")) == "/a.jpg?redirect=loop")
        #expect(header("Location", try self.plan("redirect=/b")) == "/b")
    }

    @Test("status, type and chunks are as requested; HEAD has no body")
    func rest() throws {
        #expect(try plan("status=503").status == 503)
        #expect(header("Content-Type", try plan("type=text/html")) == "text/html")
        #expect(header("Content-Type", try plan("type=none")) == nil)
        let chunked = try plan("chunked=on")
        #expect(chunked.isChunked)
        #expect(header("Content-Length", chunked) == nil)
        let head = try plan(method: "HEAD")
        #expect(head.bodyCount == 0)
        #expect(header("Content-Length", head) == "1000")
    }

    @Test(
        "an extreme length is bounded",
        arguments: ["length=+9223372036854775807", "length=-9223372036854775808"]
    )
    func farOff(fault: String) throws {
        let length = header("Content-Length", try plan(fault)).flatMap { Int($0) }
        #expect(length == (fault.contains("+") ? .max : 0))
    }
}
