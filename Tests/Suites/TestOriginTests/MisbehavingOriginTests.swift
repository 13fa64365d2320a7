import Base
import Foundation
import LoadTest
import Media
import Support
import Testing

@Suite("The misbehaving origin, over real connections", .timeLimit(.minutes(10)))
struct MisbehavingOriginTests {
    private let folder: TemporaryFolder
    private let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    init() throws {
        folder = try TemporaryFolder()
        try Data(content).write(to: folder.url.appending(path: "a.bin"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "in"),
            withIntermediateDirectories: false
        )
        try Data("inner".utf8).write(to: folder.url.appending(path: "in/b.txt"))
        let link = folder.url.appending(path: "link.txt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url.appending(path: "in/b.txt"))
        let folderLink = folder.url.appending(path: "up")
        try FileManager.default.createSymbolicLink(at: folderLink, withDestinationURL: URL(filePath: "/etc"))
    }

    /// Runs `body` beside the origin, and stops the origin.
    private func withOrigin(
        _ rules: [String] = [],
        seed: UInt64 = 1,
        _ body: (Int) async throws -> Void,
    ) async throws {
        var configuration = MisbehavingOrigin.Configuration()
        configuration.rules = try rules.map { try FaultRule($0) }
        configuration.seed = seed
        let origin = try await MisbehavingOrigin(try OriginFolder(folder.path), configuration)
        let task = Task { try await origin.run() }
        try await body(origin.port)
        task.cancel()
        _ = await task.result
    }

    @Test("the origin serves the files in its folder, whole and in parts")
    func serves() async throws {
        try await withOrigin { port in
            let whole = try await HTTPClient.send(path: "/a.bin", port: port)
            #expect(whole.status == 200)
            #expect(whole.body == content)
            let part = try await HTTPClient.send(path: "/a.bin", port: port, headers: ["Range": "bytes=1000-1999"])
            #expect(part.status == 206)
            #expect(part.body == Array(content[1000..<2000]))
            let posted = try await HTTPClient.send("POST", path: "/in/b.txt", port: port, body: Array("hello".utf8))
            #expect(posted.text == "inner")
        }
    }

    @Test("with raw=on, a file is the whole answer, head and all")
    func raw() async throws {
        let text = "HTTP/1.1 418 Untidy\r\nContent-Encoding: none\r\nContent-Length: 3\r\n\r\nabc"
        try Data(text.utf8).write(to: folder.url.appending(path: "raw.http"))
        try await withOrigin { port in
            let answer = try await HTTPClient.send(path: "/raw.http?raw=on", port: port)
            #expect(answer.status == 418 && answer.text == "abc" && answer.headers["content-encoding"] == "none")
        }
    }

    @Test(
        "nothing outside the folder is served, under any name",
        arguments: [
            "/link.txt", "/up/passwd", "/../etc/passwd", "/in/../../etc/passwd", "/%2e%2e/etc/passwd",
            "/in/%2e%2e/a.bin",
            "/in", "/", "//", "/in/b.txt/x", "/%00a.bin",
        ]
    )
    func stays(path: String) async throws {
        try await withOrigin { port in
            let answer = try await HTTPClient.send(path: path, port: port)
            #expect(answer.status == 404)
        }
    }

    @Test("a truncated, reset or falsely long body goes over the network as such")
    func bodies() async throws {
        try await withOrigin { port in
            let cut = try await HTTPClient.send(path: "/a.bin?truncate=1000", port: port)
            #expect(cut.headers["content-length"] == "300000")
            #expect(cut.body == Array(content.prefix(1000)))
            let long = try await HTTPClient.send(path: "/a.bin?length=5", port: port)
            #expect(long.headers["content-length"] == "5")
            let isWhole = long.body == content
            #expect(isWhole)
            await #expect(throws: HTTPClient.Failure.self) {
                try await HTTPClient.send(path: "/a.bin?reset=0", port: port)
            }
            let chunked = try await HTTPClient.send(path: "/in/b.txt?chunked=on", port: port)
            #expect(chunked.text == "5\r\ninner\r\n0\r\n\r\n")
        }
    }

    @Test("latency, bandwidth and a stall take at least their time")
    func times() async throws {
        let time = SystemTime()
        try await withOrigin(["/in/* latency=150ms"]) { port in
            for (path, least) in [
                ("/in/b.txt", 150), ("/a.bin?bandwidth=1MB/s", 290), ("/a.bin?stall=1000/200ms", 200),
                ("/in/b.txt?drip=1B/50ms&latency=0ms", 200),
            ] {
                let start = time.now
                let answer = try await HTTPClient.send(path: path, port: port)
                #expect(answer.status == 200)
                #expect(time.now - start >= .milliseconds(least), "\(path)")
            }
        }
    }

    @Test("a run with the same seed has the same faults, whatever other requests arrive")
    func repeats() async throws {
        func statuses(_ seed: UInt64, _ other: Bool) async throws -> [Int] {
            var statuses: [Int] = []
            try await withOrigin(["* status=503@40%"], seed: seed) { port in
                for _ in 0..<40 {
                    statuses.append(try await HTTPClient.send(path: "/a.bin", port: port).status)
                    if other { _ = try await HTTPClient.send(path: "/in/b.txt", port: port) }
                }
            }
            return statuses
        }
        let first = try await statuses(1, false)
        #expect(first == (try await statuses(1, true)))
        #expect(first != (try await statuses(2, false)))
        #expect((6...26).contains(first.count { $0 == 503 }))
    }

    @Test("a query that is not a fault is refused, with a valid form")
    func refuses() async throws {
        try await withOrigin { port in
            let answer = try await HTTPClient.send(path: "/a.bin?latency=fast", port: port)
            #expect(answer.status == 400)
            #expect(answer.text.contains("latency=200ms"))
        }
    }

    @Test("rules are parsed from YAML and JSON, and the message names an invalid one")
    func files() throws {
        func file(_ text: String) throws -> String {
            let url = folder.url.appending(path: "rules")
            try Data(text.utf8).write(to: url)
            return url.path
        }
        let yaml = try RuleFile(try file("rules:\n  - path: \"*.mp4\"\n    faults: bandwidth=50kB/s & latency=1s\n"))
        let json = try RuleFile(try file(#"{"rules":[{"path":"*.mp4","faults":"bandwidth=50kB/s&latency=1s"}]}"#))
        #expect(yaml.rules == json.rules)
        #expect(yaml.rules == [try FaultRule("*.mp4 bandwidth=50kB/s&latency=1s")])
        let bad = try file(#"{"rules":[{"path":"*","faults":"slow=1"}]}"#)
        #expect(throws: FaultSyntaxError.self) { try RuleFile(bad) }
        #expect(throws: FaultSyntaxError.self) { try RuleFile("/none") }
    }
}
