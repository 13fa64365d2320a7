import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests that the secrets of a rule go to its place and nowhere else (SECURITY N12).
@Suite("Sources that need a key", .timeLimit(.minutes(10)))
struct SourceAccessTests {
    private static let secret = "Bearer hidden-1f3a"

    /// Starts an origin that wants the secret.
    private static func guarded(_ address: String = "127.0.0.1") throws -> OriginServer {
        try OriginServer(address: address) { request in
            request.headers["authorization"] == secret ? .body([1, 2, 3]) : .status(401)
        }
    }

    private func rule(_ place: String, name: String = "rule") throws -> AccessRule {
        try AccessRule(place, name: name, headers: ["Authorization": Self.secret])
    }

    @Test("a source in the rule's place is asked for with its headers, also in ranges; no other is")
    func headers() async throws {
        let body = pattern(300_000)
        let origin = try OriginServer { request in
            guard request.headers["authorization"] == Self.secret || !request.path.hasPrefix("/a/") else {
                return .status(401)
            }
            return .ranges(of: body, to: request, type: "video/mp4")
        }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .with(rule(origin.url("/a/")), opening: "127.0.0.1"))
        let fetched = try await downloader.fetch(origin.url("/a/b.mp4"), wantsAll: true)
        #expect(fetched.failure == nil && fetched.holds(body))
        #expect(origin.requests.contains { $0.headers["range"] != nil })
        let count = origin.requests.count
        for path in ["/ab/c.mp4", "/a/%2e%2e/c.mp4", "/a", "/"] {
            _ = try await downloader.fetch(origin.url(path), wantsAll: true)
        }
        #expect(origin.requests[..<count].allSatisfy { $0.headers["authorization"] == Self.secret })
        #expect(origin.requests[count...].allSatisfy { $0.headers["authorization"] == nil })
        #expect(origin.requests.count > count)
    }

    @Test("the first rule that is for a source counts, also if it gives no access")
    func first() async throws {
        let origin = try Self.guarded()
        defer { origin.stop() }
        let pattern = AccessRule(name: "public", match: .pattern(origin.url("/a/*")))
        let downloader = try Downloader(settings: .with(pattern, rule(origin.url("/")), opening: "127.0.0.1"))
        #expect(try await downloader.fetch(origin.url("/a/b")).reason == .httpStatus)
        #expect(try await downloader.fetch(origin.url("/b")).bytes == [1, 2, 3])
        #expect(downloader.resolve(origin.url("/a/b")).rule?.name == "public")
        #expect(downloader.resolve(origin.url("/b")).rule?.name == "rule")
        #expect(downloader.resolve(origin.url("/a/b")).rule?.key == nil)
    }

    @Test(
        "a redirect elsewhere is followed without the secret, even into the place of another rule",
        arguments: ["another port", "another host", "another folder", "another rule"]
    )
    func redirect(target: String) async throws {
        let other = try OriginServer(address: target == "another host" ? "127.0.0.2" : "127.0.0.1") { _ in .body([4]) }
        let origin = try OriginServer { request in
            guard request.path.hasPrefix("/a/") else { return .body([4]) }
            return .redirect(to: target == "another folder" ? "/c" : other.url("/c"))
        }
        defer {
            origin.stop()
            other.stop()
        }
        let second = try AccessRule(other.url("/"), name: "second", headers: ["X-Other": "hidden-other"])
        let rules = [try rule(origin.url("/a/"))] + (target == "another rule" ? [second] : [])
        var settings = try DownloadSettings.opening("127.0.0.0/8")
        settings.access = rules
        let fetched = try await Downloader(settings: settings).fetch(origin.url("/a/b"))
        #expect(fetched.bytes == [4] && fetched.failure == nil)
        #expect(origin.requests.first?.headers["authorization"] == Self.secret)
        let later = Array(origin.requests.dropFirst()) + other.requests
        #expect(later.count == 1)
        #expect(later.allSatisfy { $0.headers["authorization"] == nil && $0.headers["x-other"] == nil })
    }

    @Test("once a redirect has left the place, a redirect back into it gets no access")
    func back() async throws {
        let origin = try Self.guarded()
        let other = try OriginServer { _ in .redirect(to: origin.url("/a/inner")) }
        let entrance = try OriginServer { request in
            request.headers["authorization"] == Self.secret ? .redirect(to: other.url("/")) : .status(401)
        }
        defer { for server in [origin, other, entrance] { server.stop() } }
        let settings = try DownloadSettings.with(
            rule(entrance.url("/")),
            rule(origin.url("/a/"), name: "inner"),
            opening: "127.0.0.1",
        )
        let fetched = try await Downloader(settings: settings).fetch(entrance.url("/a"))
        #expect(fetched.reason == .httpStatus && fetched.status == 401)
        #expect(origin.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test("a sender's redirect into a rule's place does not use its access")
    func lent() async throws {
        let origin = try Self.guarded()
        let sender = try OriginServer { _ in .redirect(to: origin.url("/a")) }
        defer {
            origin.stop()
            sender.stop()
        }
        let downloader = try Downloader(settings: .with(rule(origin.url("/")), opening: "127.0.0.1"))
        let fetched = try await downloader.fetch(sender.url("/"))
        #expect(fetched.status == 401 && fetched.bytes.isEmpty)
        #expect(origin.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test("a redirect within the place keeps the access")
    func within() async throws {
        let origin = try OriginServer { request in
            guard request.headers["authorization"] == Self.secret else { return .status(401) }
            return request.path == "/a/b" ? .redirect(to: "/a/c") : .body([5])
        }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .with(rule(origin.url("/a/")), opening: "127.0.0.1"))
        #expect(try await downloader.fetch(origin.url("/a/b")).bytes == [5])
    }

    @Test("a replaced value is sent with the next request")
    func replaced() async throws {
        let origin = try OriginServer { _ in .body([1]) }
        defer { origin.stop() }
        let rule = try rule(origin.url("/"))
        let downloader = try Downloader(settings: .with(rule, opening: "127.0.0.1"))
        _ = try await downloader.fetch(origin.url("/a"))
        let value = try #require(rule.access?.headers.first?.value)
        #expect(value.replace(with: Secret("Bearer new")))
        _ = try await downloader.fetch(origin.url("/a"))
        #expect(origin.requests.map { $0.headers["authorization"] } == [Self.secret, "Bearer new"])
    }

    @Test("an origin that refuses the key is reported to the operator, without the key")
    func refusedKey() async throws {
        let origin = try OriginServer { _ in .status(403) }
        defer { origin.stop() }
        let events = RecordedEvents<OriginEvent>()
        let settings = try DownloadSettings.with(rule(origin.url("/a/")), opening: "127.0.0.1")
        let downloader = Downloader(settings: settings, recorder: events)
        let fetched = try await downloader.fetch(origin.url("/a/b"))
        #expect(fetched.reason == .httpStatus)
        _ = try await downloader.fetch(origin.url("/b"))
        #expect(events.events == [.refusedAccess(rule: "rule", status: 403)])
        let told = [fetched.failure.map { "\($0)" }, "\(events.events)"]
        #expect(told.allSatisfy { $0?.contains("hidden") == false })
    }

    @Test("the key of an access is stable, without secrets, and different for every rule")
    func keys() throws {
        let rule = try rule("https://media.example/a/")
        let other = try AccessRule("https://media.example/a/", name: "rule", headers: ["authorization": "another"])
        #expect(rule.key == other.key && rule.key?.contains("hidden") == false)
        let bucket = try BucketAddress("s3://media/a", endpoint: "http://10.0.0.7:9000")
        let keys = [
            rule.key, try self.rule("https://media.example/a/", name: "b").key,
            try self.rule("https://media.example/b/").key, try self.rule("https://media.example:8443/a/").key,
            try AccessRule("https://media.example/a/", headers: ["Cookie": "a"]).key,
            try AccessRule("https://media.example/a/", addresses: ["10.0.0.7"]).key,
            AccessRule(bucket: bucket).key,
            AccessRule(bucket: try BucketAddress("s3://media/a", endpoint: "http://10.0.0.8:9000")).key,
        ]
        #expect(Set(keys).count == keys.count && !keys.contains(nil))
    }
}
