import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

@Suite("Sending", .timeLimit(.minutes(10)))
struct SendingTests {
    private func post(
        to url: String,
        _ content: OutgoingMessage = OutgoingMessage(body: Array("{}".utf8), headers: [:]),
        allowing block: String = "127.0.0.0/8",
    ) async throws -> Int {
        let downloader = try Downloader(settings: .opening(block))
        return try await downloader.client.send(content, to: url, until: SystemTime().now + .seconds(540)).status
    }

    @Test("body and header fields arrive, and the answer's status comes back", arguments: [200, 204, 302, 404, 500])
    func arrives(status: Int) async throws {
        let origin = try OriginServer { _ in .status(status, body: status == 204 ? [] : Array("thanks".utf8)) }
        defer { origin.stop() }
        let body = [UInt8](repeating: 0x61, count: 50_000)
        let content = OutgoingMessage(body: body, headers: ["Content-Type": "application/json", "Attachd-Job": "7"])
        #expect(try await post(to: origin.url("/done"), content) == status)
        let request = try #require(origin.requests.first)
        #expect(request.method == "POST" && request.path == "/done" && request.body == body)
        #expect(request.headers["content-type"] == "application/json" && request.headers["attachd-job"] == "7")
        // A redirect is not followed.
        #expect(origin.requests.count == 1)
    }

    @Test("without a body the request is a GET, and the answer's body comes back")
    func get() async throws {
        let origin = try OriginServer { _ in .body(Array("{}".utf8)) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.0/8"))
        let message = OutgoingMessage(headers: ["Authorization": "Bearer a"])
        let answer = try await downloader.client.send(
            message,
            to: origin.url(),
            until: SystemTime().now + .seconds(540)
        )
        #expect(answer.status == 200 && answer.body == Array("{}".utf8))
        #expect(origin.requests.map(\.method) == ["GET"] && origin.requests[0].headers["authorization"] == "Bearer a")
    }

    @Test("a value that would start another header field is left out")
    func injection() async throws {
        let origin = try OriginServer { _ in .status(200) }
        defer { origin.stop() }
        let content = OutgoingMessage(body: [1], headers: ["traceparent": "00\r\nEvil: 1", "Good": "1"])
        #expect(try await post(to: origin.url(), content) == 200)
        let request = try #require(origin.requests.first)
        #expect(request.headers["evil"] == nil && request.headers["traceparent"] == nil)
        #expect(request.headers["good"] == "1")
    }

    @Test("a large answer does no harm")
    func largeAnswer() async throws {
        let origin = try OriginServer { _ in .body([UInt8](repeating: 0, count: 3_000_000)) }
        defer { origin.stop() }
        #expect(try await post(to: origin.url()) == 200)
    }

    @Test("a URL that may not be downloaded may not be posted to")
    func refused() async throws {
        let origin = try OriginServer { _ in .status(200) }
        defer { origin.stop() }
        await #expect { try await post(to: origin.url(), allowing: "127.9.9.9/32") } throws: { error in
            (error as? AttachmentFailure)?.reason == .refusedAddress
        }
        await #expect { try await post(to: "file:///etc/passwd") } throws: { error in
            (error as? AttachmentFailure)?.reason == .refusedScheme
        }
        #expect(origin.requests.isEmpty)
    }

    @Test("of the answer to a callback, little more than its status is kept (SECURITY M1)")
    func longAnswer() async throws {
        let origin = try OriginServer { _ in .status(200, body: pattern(900_000)) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let message = OutgoingMessage(body: [1], headers: [:])
        let answer = try await downloader.client.post(
            message,
            to: origin.url(),
            until: SystemTime().now + .seconds(540)
        )
        #expect(answer.status == 200 && answer.body.count <= 16_384)
    }

    @Test("a server that answers no callback gets few at once, and the others are postponed")
    func tarpit() async throws {
        let tarpit = try OriginServer { _ in .silence }
        defer { tarpit.stop() }
        let product = try OriginServer(address: "127.0.1.1") { _ in .status(204) }
        defer { product.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.0/8"))
        let message = OutgoingMessage(body: [1], headers: [:])
        let deadline = SystemTime().now + .seconds(30)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { _ = try? await downloader.client.post(message, to: tarpit.url(), until: deadline) }
            }
            await tarpit.arrival(of: 4)
            await #expect { try await downloader.client.post(message, to: tarpit.url(), until: deadline) } throws: {
                error in
                if case .notNow(_, let pause)? = error as? CallbackAddressError { pause > .zero } else { false }
            }
            let answer = try? await downloader.client.post(message, to: product.url(), until: deadline)
            #expect(answer?.status == 204)
            group.cancelAll()
        }
        #expect(tarpit.requests.count == 4)
    }

    @Test(
        "a callback that can never be called is recognised by its URL alone",
        arguments: [
            ("ftp://a.example/", true), ("a", true), ("http://10.0.0.1/", true), ("http://[::1]/", true),
            ("http://0x0a000001/", true), ("https://192.0.2.1:8080/", true), ("http://127.0.0.1:9/", false),
            ("https://a.example:8443/", false), ("https://localhost/", false),
        ]
    )
    func callbacks(url: String, isRefused: Bool) throws {
        let policy = AddressPolicy(allowed: [try CIDR("127.0.0.0/8")], own: [])
        #expect((CallbackURL.refusal(of: url, policy) != nil) == isRefused)
    }

    @Test("a closed port and a silent server are failures")
    func silent() async throws {
        let origin = try OriginServer { _ in .stall(after: 0, of: [1, 2]) }
        let url = origin.url()
        origin.stop()
        await #expect(throws: AttachmentFailure.self) { try await post(to: url) }
    }
}
