import Base
import Storage
import Support
import Testing

/// Tests of issue 15, section 7: DNS rebinding, and pages of other sites.
@Suite("Without a token", .timeLimit(.minutes(10)))
struct AccessGuardTests {
    struct Request: Sendable, CustomTestStringConvertible {
        var method = "POST"
        var path = "/v1/rewrite"
        var host: String
        var origin: String?
        var isForbidden: Bool

        init(
            _ host: String,
            _ origin: String? = nil,
            _ method: String = "POST",
            _ path: String = "/v1/rewrite",
            isForbidden: Bool
        ) {
            (self.host, self.origin, self.method, self.path) = (host, origin, method, path)
            self.isForbidden = isForbidden
        }

        var testDescription: String { "\(method) \(path) Host: \(host) Origin: \(origin ?? "none")" }
    }

    @Test(
        "the API refuses other sites' pages and foreign host names",
        arguments: [
            Request("localhost", isForbidden: false), Request("localhost:8080", isForbidden: false),
            Request("127.0.0.1:8080", isForbidden: false), Request("[::1]:8080", isForbidden: false),
            Request("LOCALHOST", isForbidden: false), Request("10.1.2.3", isForbidden: false),
            Request("localhost", "http://localhost", isForbidden: false),
            Request("localhost", "http://evil.example", isForbidden: true),
            Request("localhost", "null", isForbidden: true),
            Request("127.0.0.1:8080", "http://127.0.0.1:9090", isForbidden: true),
            Request("evil.example", isForbidden: true), Request("evil.example:8080", isForbidden: true),
            Request("evil.example", "http://evil.example", isForbidden: true),
            Request("127.0.0.1.evil.example", isForbidden: true), Request("localhost.evil.example", isForbidden: true),
            Request("evil.example", nil, "POST", "/v1/notifications", isForbidden: true),
            Request("evil.example", nil, "POST", "//v1//notifications", isForbidden: true),
            Request("evil.example", nil, "POST", "/v1/jobs", isForbidden: true),
            Request("evil.example", nil, "GET", "/v1/jobs/a", isForbidden: true),
            Request("evil.example", nil, "DELETE", "/v1/jobs/a", isForbidden: true),
            Request("evil.example", nil, "POST", "/v1/responses", isForbidden: true),
            Request("evil.example", nil, "DELETE", "/v1/attachments/a.jpg", isForbidden: true),
            Request("localhost", "http://evil.example", "DELETE", "/v1/attachments/a.jpg", isForbidden: true),
            Request("localhost", "http://evil.example", "OPTIONS", "/v1/attachments/a.jpg", isForbidden: true),
            Request("evil.example", nil, "GET", "/livez", isForbidden: false),
            Request("evil.example", nil, "GET", "/readyz", isForbidden: false),
            Request("evil.example", nil, "GET", "/metrics", isForbidden: false),
        ]
    )
    func guarded(request: Request) async throws {
        try await SidecarFixture.run(preview: PreviewFixture()) { sidecar in
            let answer = try await sidecar.send(
                request.method,
                request.path,
                host: request.host,
                headers: request.origin.map { ["Origin": $0] } ?? [:],
                body: request.method == "POST" ? Array(SidecarServerTests.payload.utf8) : []
            )
            #expect((answer.status == 403) == request.isForbidden, "\(answer.status) \(answer.text)")
        }
    }

    @Test(
        "signed files are served under any host name, as phones use them through a proxy",
        arguments: ["GET", "HEAD"]
    )
    func signedFiles(method: String) async throws {
        let preview = try await PreviewFixture()
        let urls = preview.store.urls(below: "")
        let expires = (preview.clock.now + .seconds(60)).seconds
        try await SidecarFixture.run(preview: preview) { sidecar in
            for url in [
                urls.url(of: preview.file, expires: expires), urls.shortURL(of: preview.file, expires: expires),
            ] {
                let answer = try await sidecar.send(
                    method,
                    url,
                    host: "push.example",
                    headers: ["Origin": "https://app.example"]
                )
                #expect(answer.status == 200)
            }
        }
    }

    @Test("only a token opens the API under any host name")
    func token() async throws {
        let token = "0123456789abcdef"
        try await SidecarFixture.run(token: token) { sidecar in
            func status(_ headers: [String: String]) async throws -> Int {
                try await sidecar.send(
                    "POST",
                    "/v1/rewrite",
                    SidecarServerTests.payload,
                    host: "attachd.internal",
                    headers: headers
                )
                .status
            }
            let (right, none) = (try await status(["Authorization": "Bearer \(token)"]), try await status([:]))
            #expect(right == 200 && none == 401)
        }
    }
}
