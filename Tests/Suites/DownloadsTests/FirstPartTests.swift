import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests of cameras that answer with a stream of pictures.
@Suite("Streams of pictures", .timeLimit(.minutes(10)))
struct FirstPartTests {
    private static let picture = pattern(100_000)
    private static let type = "multipart/x-mixed-replace; boundary=frame"

    private static func part(_ head: String, line: String = "\r\n") -> [UInt8] {
        Array("\(head)\(line)\(line)".utf8) + picture + Array("\(line)".utf8)
    }

    @Test(
        "the first part is the picture, and the connection ends there",
        arguments: [
            ("--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 100000", "\r\n"),
            ("\r\n--frame\r\ncontent-length:100000\r\nContent-Type: image/jpeg", "\r\n"),
            ("--frame\r\nContent-Type: image/jpeg", "\r\n"), ("--frame\nContent-Type: image/jpeg", "\n"),
            ("----frame--\r\nX: y", "\r\n"),
        ]
    )
    func firstPart(head: String, line: String) async throws {
        let part = Self.part(head, line: line)
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.body(part + part + part, type: Self.type)
            (answer.framing, answer.ending) = (.none, .hold)
            return answer
        }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url(), wantsAll: true)
        #expect(fetched.failure == nil && fetched.isConsistent && fetched.holds(Self.picture))
    }

    @Test("however the stream is cut into pieces, its first part is the same", arguments: [1, 2, 3, 17, 1000])
    func pieces(size: Int) throws {
        let part = Array("--a\r\n\r\nab\r\n-\r\n--b\r\r\n--".utf8)
        let stream = part + Array("a\r\n\r\nnext".utf8)
        var decoder = FirstPartDecoder()
        var found: [UInt8] = []
        var rest = stream[...]
        reading: while true {
            switch decoder.step(isLast: rest.isEmpty) {
            case .bytes(let bytes): found += bytes
            case .ended: break reading
            case .broken: Issue.record("broken"); return
            case .needsInput:
                guard !rest.isEmpty else { break reading }
                decoder.add(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
        #expect(String(decoding: found, as: UTF8.self) == "ab\r\n-\r\n--b\r")
    }

    @Test("a head without end is no picture, and neither is a stream that ends in its first part")
    func hostile() async throws {
        let endless = Array("--frame\r\n".utf8) + Array(repeatElement(Array("X: y\r\n".utf8), count: 10_000).joined())
        let cut = Array(Self.part("--frame\r\nContent-Length: 200000").dropLast(1))
        for body in [endless, cut] {
            let origin = try OriginServer { _ in .body(body, type: Self.type) }
            defer { origin.stop() }
            let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url(), wantsAll: true)
            #expect(fetched.reason == .originLied && fetched.isConsistent)
        }
    }
}
