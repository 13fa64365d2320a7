import Base
import Payloads
import Support
import Testing

/// Tests of issue 15, section 7: bytes that are not HTTP/1.1 are the client's fault, never the server's.
@Suite("A malformed request", .timeLimit(.minutes(10)))
struct MalformedRequestTests {
    struct Form: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var statuses: [Int]
        var ends = false

        init(_ name: String, _ text: String, _ statuses: [Int] = [400], ends: Bool = false) {
            self.name = name
            self.bytes = Array(text.utf8)
            self.statuses = statuses
            self.ends = ends
        }

        var testDescription: String { name }
    }

    private static func post(_ headers: String, _ body: String) -> String {
        "POST /v1/rewrite HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\(body)"
    }

    private static func get(_ target: String, _ headers: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(headers)\r\n"
    }

    private static let chunked = "Transfer-Encoding: chunked\r\n"

    static let forms: [Form] = [
        Form("a chunk size that is not a number", post(chunked, "xyz\r\n{}\r\n0\r\n\r\n")),
        Form("a negative chunk size", post(chunked, "-2\r\n{}\r\n0\r\n\r\n")),
        Form(
            "a chunk size of 16 digits",
            post(chunked, "ffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
            [400, 413, 422],
            ends: true
        ),
        Form("a chunk size of 17 digits", post(chunked, "10000000000000000\r\n{}\r\n0\r\n\r\n")),
        Form("a chunk without its end", post(chunked, "2\r\n{}xx0\r\n\r\n")),
        Form("a bad chunk after a good one", post(chunked, "2\r\n{}\r\nq\r\n")),
        Form(
            "10,000 trailers",
            post(chunked, "2\r\n{}\r\n0\r\n" + String(repeating: "A: b\r\n", count: 10_000) + "\r\n")
        ),
        Form(
            "a trailer of 200 kB",
            post(chunked, "2\r\n{}\r\n0\r\nA: " + String(repeating: "b", count: 200_000) + "\r\n\r\n")
        ),
        Form("10,000 header fields", get("/livez", String(repeating: "A: b\r\n", count: 10_000))),
        Form("a header field of 200 kB", get("/livez", "A: \(String(repeating: "b", count: 200_000))\r\n")),
        Form("a request line of 200 kB", get("/\(String(repeating: "b", count: 200_000))")),
        Form("a NUL in a header field", get("/livez", "A: b\0c\r\n")),
        Form("a NUL in a field's name", get("/livez", "A\0: b\r\n")),
        Form("a bare line feed in a field's name", get("/livez", "A\n: b\r\n")),
        Form("a space before the colon", get("/livez", "A : b\r\n")),
        Form("two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}")),
        Form("two equal lengths", post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), [400]),
        Form("a length and chunks", post("Content-Length: 2\r\n" + chunked, "2\r\n{}\r\n0\r\n\r\n")),
        Form("a length that is not a number", post("Content-Length: two\r\n", "{}")),
        Form("a negative length", post("Content-Length: -2\r\n", "{}")),
        Form("a length of 30 digits", post("Content-Length: \(String(repeating: "9", count: 30))\r\n", "{}")),
        Form("another transfer coding", post("Transfer-Encoding: gzip\r\n", "{}"), [400, 501], ends: true),
        Form("two hosts", get("/livez", "Host: evil.example\r\n")),
        Form("a target in absolute form", get("http://localhost/livez"), [200]),
        Form("a target in absolute form without a host", get("http://"), [400, 404]),
        Form("a bad percent-encoding in the path", get("/v1/attachments/%zz?expires=1&signature=x"), [404]),
        Form("a bad percent-encoding in the query", get("/v1/attachments/a.jpg?expires=%&signature=%f"), [404]),
        Form("bytes that are not UTF-8", get("/\u{FFFD}\u{80}"), [400, 404]),
        Form("no version", "GET /livez\r\n\r\n", [400], ends: true),
        Form("version 9.9", "GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n"),
        Form("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Form("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}"),
        Form("no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n"),
        Form("an invalid method", "G@T /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Form(
            "CONNECT",
            "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n",
            [400, 403, 404, 405],
            ends: true
        ),
        Form("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", [400, 404, 405]),
        Form("a body that ends too soon", post("Content-Length: 20\r\n", "{}"), [400], ends: true),
        Form("chunks that end too soon", post(chunked, "14\r\n{}"), [400], ends: true),
    ]

    @Test("is answered with a client error, and the next client is served", arguments: forms)
    func refused(form: Form) async throws {
        try await SidecarFixture.run { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.sendAside(form.bytes, endsSending: form.ends)
            let answer = await connection.read { $0.contains("\r\n\r\n") && !$0.hasPrefix("HTTP/1.1 100") }
            let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            #expect(status.map(form.statuses.contains) == true, "\(answer.prefix(400))")
            if status == 400 { #expect(answer.contains("application/problem+json"), "\(answer.prefix(400))") }
            #expect(try await sidecar.send("/livez").status == 200)
        }
    }

    @Test("doesn't keep back the answer to a valid request before it")
    func pipelined() async throws {
        try await SidecarFixture.run { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nG@T / HTTP/1.1\r\n\r\n")
            let answer = await connection.read()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
        }
    }
}
