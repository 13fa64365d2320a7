import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

@Suite("Redirects", .timeLimit(.minutes(10)))
struct RedirectTests {
    @Test("the last answer of a chain is delivered", arguments: [301, 302, 303, 307, 308])
    func chain(status: Int) async throws {
        let origin = try OriginServer { request in
            guard let step = Int(request.path.dropFirst()), step < 5 else { return .body([42], type: "image/gif") }
            return .redirect(to: "/\(step + 1)", status: status, body: pattern(1_000))
        }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url("/0"))
        #expect(fetched.failure == nil)
        #expect(fetched.bytes == [42])
        #expect(origin.requests.last?.path == "/5")
        #expect(origin.connectionCount == 1)
    }

    @Test("one redirect more than the limit is too many")
    func limit() async throws {
        let origin = try OriginServer { .redirect(to: "\($0.path)a") }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url())
        #expect(fetched.reason == .tooManyRedirects)
        #expect(fetched.failure?.message == "127.0.0.1 redirects more than 5 times.")
        #expect(origin.requests.count == 6)
        #expect(fetched.isConsistent)
    }

    @Test("a redirect that repeats itself ends at the second time, with a hint at cookies")
    func circle() async throws {
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.redirect(to: "/")
            answer.setHeader("Set-Cookie", "seen=1; Path=/elsewhere")
            return answer
        }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url())
        #expect(fetched.reason == .tooManyRedirects && fetched.failure?.message.contains("cookie") == true)
        #expect(origin.requests.count == 2)
    }

    @Test("a redirect with an endless body is followed without waiting for the end")
    func largeBody() async throws {
        let origin = try OriginServer { request in
            request.path == "/" ? .redirect(to: "/a", body: pattern(1_000_000)) : .body([1])
        }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url())
        #expect(fetched.bytes == [1])
    }

    @Test("a redirect without a target is an unexpected status")
    func noTarget() async throws {
        let origin = try OriginServer { _ in .status(302) }
        defer { origin.stop() }
        #expect(try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url()).reason == .httpStatus)
    }

    @Test(
        "a redirect to a forbidden target is refused, and the message doesn't reveal the target",
        arguments: [
            ("file:///etc/hostname", AttachmentFailure.Reason.refusedScheme),
            ("gopher://127.0.0.1:6379/_INFO", .refusedScheme),
            ("dict://127.0.0.1/", .refusedScheme),
            ("http://somebody:hunter2@127.0.0.2/", .invalidURL),
            ("http://[fe80::1%25eth0]/", .invalidURL),
            ("http://127.0.0.1:99999/", .invalidURL),
            ("http://127.0.0.1/", .refusedAddress),
            ("//127.0.0.1/", .refusedAddress),
            ("http://2130706433/", .refusedAddress),
            ("http://0x7f.1/", .refusedAddress),
            ("http://[::ffff:127.0.0.1]/", .refusedAddress),
            ("http://localhost/", .refusedAddress),
            ("http://169.254.169.254/latest/meta-data/", .refusedAddress),
            ("http://0.0.0.0/", .refusedAddress),
        ],
    )
    func refused(target: String, reason: AttachmentFailure.Reason) async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .redirect(to: target) }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.2")).fetch(origin.url())
        let failure = try #require(fetched.failure)
        #expect(failure.reason == reason)
        #expect(failure.message.contains("127.0.0.2"))
        for secret in ["127.0.0.1", "localhost", "169.254", "hunter2", "fe80", "0.0.0.0", "hostname"] {
            #expect(!failure.message.contains(secret))
        }
    }

    @Test("a redirect from an allowed address never reaches one that isn't")
    func otherOrigin() async throws {
        let inner = try OriginServer(address: "127.0.0.1") { _ in .body([1]) }
        let outer = try OriginServer(address: "127.0.0.2") { _ in .redirect(to: inner.url("/secret")) }
        defer {
            inner.stop()
            outer.stop()
        }
        let fetched = try await Downloader(settings: .opening("127.0.0.2/32")).fetch(outer.url())
        #expect(fetched.reason == .refusedAddress)
        #expect(
            fetched.failure?.message
                == "127.0.0.2 (after a redirect) has no address from which attachd may download."
                + " If its address is private, see --allow-address."
        )
        #expect(inner.connectionCount == 0)
        #expect(fetched.bytes.isEmpty)
    }

    @Test("all hops share one time limit")
    func timeLimit() async throws {
        let origin = try OriginServer { request in request.path == "/" ? .redirect(to: "/a") : .silence }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let fetched = try await downloader.fetch(origin.url(), timeLimit: .milliseconds(200))
        #expect(fetched.reason == .timedOut)
    }
}
