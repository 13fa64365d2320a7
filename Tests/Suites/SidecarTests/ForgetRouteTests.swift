import Base
import Payloads
import Processing
import Storage
import Support
import Testing

/// Tests of issue 15, section 10: attachments are taken back over HTTP.
@Suite("Taking attachments back over HTTP", .timeLimit(.minutes(10)))
struct ForgetRouteTests {
    private static let token = "0123456789abcdef"

    @Test("answers all links to the file with 410 from then on")
    func gone() async throws {
        let preview = try await PreviewFixture()
        let urls = preview.store.urls(below: "")
        let expires = (preview.clock.now + .seconds(60)).seconds
        let links = [urls.url(of: preview.file, expires: expires), urls.shortURL(of: preview.file, expires: expires)]
        try await SidecarFixture.run(preview: preview) { sidecar in
            func statuses() async throws -> [Int] {
                var statuses: [Int] = []
                for link in links {
                    for method in ["GET", "HEAD"] {
                        statuses.append(try await sidecar.send(method, link).status)
                    }
                }
                return statuses
            }
            let before = try await statuses()
            #expect(before == [200, 200, 200, 200])
            let answer = try await sidecar.send("DELETE", "/v1/attachments/\(preview.file)")
            #expect(answer.status == 200 && answer.text == #"{"forgotten":["\#(preview.file)"],"workers":1}"#)
            let after = try await statuses()
            #expect(after == [410, 410, 410, 410])
            let unsigned = try await sidecar.send("/v1/attachments/\(preview.file)")
            #expect(unsigned.status == 403)
        }
    }

    @Test("finds the files of a source")
    func source() async throws {
        let preview = try await PreviewFixture()
        try await preview.store.record(preview.file, of: "https://example.com/a.jpg")
        try await SidecarFixture.run(preview: preview) { sidecar in
            let path = "/v1/attachments?source=https%3A%2F%2Fexample.com%2Fa.jpg"
            let answer = try await sidecar.send("DELETE", path)
            #expect(answer.text == #"{"forgotten":["\#(preview.file)"],"workers":1}"#)
            let none = try await sidecar.send("DELETE", "/v1/attachments")
            #expect(none.status == 400)
            let noName = try await sidecar.send("DELETE", "/v1/attachments/a.jpg")
            #expect(noName.status == 404)
        }
    }

    @Test("needs the token, or without one a client that is not behind a proxy")
    func access() async throws {
        let path = "/v1/attachments/abcdefghijklmnopqrstuvwxyz.jpg"
        try await SidecarFixture.run(token: Self.token, preview: PreviewFixture()) { sidecar in
            let without = try await sidecar.send("DELETE", path)
            let with = try await sidecar.send("DELETE", path, headers: ["Authorization": "Bearer \(Self.token)"])
            #expect(without.status == 401 && with.status == 200)
        }
        try await SidecarFixture.run(preview: PreviewFixture()) { sidecar in
            for path in [path, "/" + path, "/v1/attachments?source=https://example.com/a"] {
                let proxied = try await sidecar.send("DELETE", path, headers: ["X-Forwarded-For": "203.0.113.7"])
                #expect(proxied.status == 403)
            }
        }
    }

    @Test("withholds results in progress for the source, but not later ones")
    func underWay() async throws {
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(started: started, hold: hold) { sidecar in
            func outcome() async throws -> String? {
                try await sidecar.send("POST", "/v1/rewrite", SidecarServerTests.payload)
                    .headers["attachd-outcome"]
            }
            async let first = outcome()
            await started.wait()
            _ = await sidecar.service.forget(source: "https://example.com/a.jpg")
            hold.send()
            let held = try await first
            #expect(held == "original")
            let next = try await outcome()
            #expect(next == "complete")
        }
    }
}
