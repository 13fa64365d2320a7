import Base
import Foundation
import Media
import Payloads
import Preview
import Storage
import Support
import Testing

@Suite("The preview over HTTP", .timeLimit(.minutes(10)))
struct PreviewRoutesTests {
    private static let origin = ["Origin": "http://localhost"]
    private static let token = "0123456789abcdef"

    private func show(_ port: Int, _ payload: String, headers: [String: String] = origin) async throws
        -> HTTPClient.Answer
    {
        try await HTTPClient.send(
            "POST",
            path: "/preview/notifications",
            port: port,
            headers: headers,
            body: Array("{\"payload\":\(payload)}".utf8)
        )
    }

    private func value(_ answer: HTTPClient.Answer) throws -> JSONValue { try JSONValue(parsing: answer.body) }

    @Test("the page and its files work under a strict policy")
    func page() async throws {
        try await SidecarFixture.run(preview: PreviewFixture()) { sidecar in
            let page = try await sidecar.send("/preview")
            #expect(page.status == 200)
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'"))
            let files = page.text.matches(of: /(?:href|src)="(\/preview\/assets\/[a-z.]+)"/).map { String($0.1) }
            #expect(files.count >= 4)
            for file in files {
                let answer = try await sidecar.send(file)
                #expect(answer.status == 200 && !answer.body.isEmpty, "\(file)")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                for imported in answer.text.matches(of: /from "\.\/([a-z]+\.js)"/) {
                    let module = try await sidecar.send("/preview/assets/\(imported.1)")
                    #expect(
                        module.status == 200 && module.headers["content-type"]?.hasPrefix("text/javascript") == true
                    )
                }
            }
            #expect(!page.text.contains(" style=") && !page.text.contains("<style") && !page.text.contains("onclick"))
        }
    }

    @Test("there is no page if it is turned off")
    func off() async throws {
        try await SidecarFixture.run { sidecar in
            for path in ["/preview", "/preview/assets/page.css", "/preview/jobs"] {
                let answer = try await sidecar.send(path)
                #expect(answer.status == 404)
            }
        }
    }

    @Test("a payload comes back as a piece of the page, fully escaped")
    func fragment() async throws {
        let hostile = #"</p><script>x()</script>\" onload=x() \u0600<img src=x> {{{title}}} {{> card}}"#
        let payload =
            #"{"aps":{"alert":{"title":"\#(hostile)","body":"B"},"mutable-content":1,"category":"invite"},"my-attachment":"http://x/a.jpg"}"#
        try await SidecarFixture.run(preview: PreviewFixture()) { sidecar in
            let answer = try await show(sidecar.port, payload)
            #expect(answer.status == 200)
            #expect(answer.headers["content-security-policy"]?.contains("sandbox") == true)
            #expect(answer.text.contains("&lt;script&gt;x()&lt;/script&gt;&quot; onload=x()"))
            #expect(answer.text.contains("{{{title}}} {{&gt; card}}"))
            #expect(!answer.text.contains("<script") && !answer.text.contains("<img src"))
            for place in ["banner", "lock", "centre", "expanded"] {
                #expect(answer.text.contains("data-place=\"\(place)\""))
            }
            #expect(
                answer.text.contains("data-action=\"accept\"") && answer.text.contains("sandbox=\"allow-same-origin\"")
            )
        }
    }

    @Test("an invalid payload is an error that says so", arguments: [("{", 400), ("7", 422), (#"{"x":1}"#, 422)])
    func notPayload(payload: String, status: Int) async throws {
        try await SidecarFixture.run(preview: PreviewFixture()) { sidecar in
            let answer = try await show(sidecar.port, payload)
            #expect(answer.status == status)
        }
    }

    @Test(
        "another site's pages are refused, and so is a foreign host name",
        arguments: [
            ("localhost", "http://evil.example", 403), ("localhost", nil, 403), ("localhost", "null", 403),
            ("localhost", "http://localhost.evil.example", 403), ("evil.example", "http://evil.example", 403),
            ("127.0.0.1:8080", "http://127.0.0.1:8080", 200), ("[::1]:8080", "http://[::1]:8080", 200),
        ]
    )
    func foreign(host: String, origin: String?, status: Int) async throws {
        try await SidecarFixture.run(preview: PreviewFixture()) { sidecar in
            let answer = try await sidecar.send(
                "POST",
                "/preview/notifications",
                #"{"payload":{"aps":{"alert":"Hi"}}}"#,
                host: host,
                headers: origin.map { ["Origin": $0] } ?? [:]
            )
            #expect(answer.status == status)
        }
    }

    @Test(
        "extra slashes don't get around that",
        arguments: ["//preview/notifications", "/preview//leases", "//v1/responses"]
    )
    func slashes(path: String) async throws {
        try await SidecarFixture.run(preview: PreviewFixture()) { sidecar in
            for (host, origin) in [("localhost", "http://evil.example"), ("evil.example", "http://evil.example")] {
                let answer = try await sidecar.send("POST", path, host: host, headers: ["Origin": origin])
                #expect(answer.status == 403)
            }
        }
    }

    @Test("behind a token, a form takes it and sets a cookie that no script and no other site can read")
    func login() async throws {
        try await SidecarFixture.run(token: Self.token, preview: PreviewFixture()) { sidecar in
            func send(_ method: String, _ path: String, _ headers: [String: String], _ body: String = "") async throws
                -> HTTPClient.Answer
            {
                try await sidecar.send(method, path, body, headers: headers)
            }
            let form = try await send("GET", "/preview", [:])
            #expect(form.status == 401 && form.text.contains("API token") && !form.text.contains("composer"))
            #expect(try await show(sidecar.port, #"{"aps":{"alert":"Hi"}}"#).status == 401)
            #expect(try await send("GET", "/preview/jobs", [:]).status == 401)
            let wrong = try await send("POST", "/preview/session", Self.origin, "token=0123456789abcdeX")
            #expect(wrong.status == 401 && wrong.headers["set-cookie"] == nil)
            let foreign = try await send("POST", "/preview/session", ["Origin": "http://evil"], "token=\(Self.token)")
            #expect(foreign.status == 403)
            let right = try await send("POST", "/preview/session", Self.origin, "token=\(Self.token)")
            #expect(right.status == 303 && right.headers["location"] == "/preview")
            let cookie = try #require(right.headers["set-cookie"])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains(Self.token))
            #expect(!cookie.contains("Secure"))
            let secure = try await send(
                "POST",
                "/preview/session",
                ["Origin": "https://localhost", "X-Forwarded-Proto": "https"],
                "token=\(Self.token)"
            )
            #expect(secure.headers["set-cookie"]?.contains("Secure") == true)

            let session = ["Cookie": String(cookie.prefix { $0 != ";" })]
            let both = session.merging(Self.origin) { $1 }
            #expect(try await send("GET", "/preview", session).text.contains("composer"))
            #expect(try await show(sidecar.port, #"{"aps":{"alert":"Hi"}}"#, headers: both).status == 200)
            let response =
                #"{"actionIdentifier":"accept","notification":{"identifier":"n","payload":{"aps":{"category":"invite"}}}}"#
            #expect(try await send("POST", "/v1/responses", both, response).status == 200)
            #expect(try await send("POST", "/v1/responses", session, response).status == 401)
            #expect(
                try await send("POST", "/v1/responses", ["Authorization": "Bearer \(Self.token)"], response).status
                    == 200
            )
            // The cookie is valid for the page only.
            #expect(try await send("POST", "/v1/rewrite", both, #"{"aps":{"alert":"Hi"}}"#).status == 401)
        }
    }

    @Test("attachments are served by signed URLs while their view is open")
    func holds() async throws {
        let preview = try await PreviewFixture()
        try await SidecarFixture.run(preview: preview) { sidecar in
            func send(_ method: String, _ path: String, _ body: String = "") async throws -> HTTPClient.Answer {
                try await sidecar.send(method, path, body, headers: Self.origin)
            }
            func open() async throws -> (hold: String, url: String) {
                let body =
                    "{\"attachments\":[\"\(preview.file)\",\"../x\",\"\(String(repeating: "a", count: 26)).jpg\"]}"
                let view = try value(try await send("POST", "/preview/leases", body))
                guard case .object(let urls)? = view["urls"] else { throw HTTPClient.Failure(message: "no URLs") }
                #expect(urls.count == 1)
                return (try #require(view["lease"]?.text), try #require(view["urls"]?[preview.file.description]?.text))
            }
            let (hold, url) = try await open()
            let file = try await send("GET", url)
            #expect(file.status == 200 && file.body == PreviewFixture.content)
            #expect(file.headers["cache-control"] == "no-store")
            // Without its view, or with another's, the URL is invalid.
            #expect(try await send("GET", url.replacing(/&lease=[a-z2-7]+/, with: "")).status == 403)
            let (other, _) = try await open()
            #expect(try await send("GET", url.replacing(hold, with: other)).status == 403)

            // Also over a kept connection.
            let twice = Array(repeating: (method: "GET", path: url, body: ""), count: 2)
            let kept = try await HTTPClient.pipeline(twice, port: sidecar.port)
            #expect(kept.map(\.status) == [200, 200])
            #expect(try await send("PUT", "/preview/leases/\(hold)").status == 204)
            #expect(try await send("DELETE", "/preview/leases/\(hold)").status == 204)
            #expect(try await send("GET", url).status == 403)
            let closed = try await HTTPClient.pipeline(twice, port: sidecar.port)
            #expect(closed.map(\.status) == [403, 403])
            #expect(try await send("PUT", "/preview/leases/\(hold)").status == 404)

            let (forgotten, last) = try await open()
            preview.clock.advance(by: AccessHolds.time - .seconds(1))
            #expect(try await send("PUT", "/preview/leases/\(forgotten)").status == 204)
            preview.clock.advance(by: AccessHolds.time - .seconds(1))
            #expect(try await send("GET", last).status == 200)
            preview.clock.advance(by: .seconds(1))
            #expect(try await send("GET", last).status == 403)
        }
    }

    @Test("a layout is a page of its own, without scripts, with the view's content")
    func layout() async throws {
        let preview = try await PreviewFixture()
        let content: JSONValue = [
            "body": "\"><script>\u{600}<b>", "attachments": [["name": .string(preview.file.description)]],
        ]
        let hold = try await preview.holds.open([preview.file]).hold
        let text = content.compactText.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        try await SidecarFixture.run(preview: preview) { sidecar in
            func layout(_ form: String) async throws -> HTTPClient.Answer {
                try await sidecar.send("POST", "/preview/layout", form, headers: Self.origin)
            }
            let page = try await layout("category=invite&lease=\(hold)&content=\(text)")
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.contains("default-src 'none'") && policy.contains("sandbox allow-same-origin"))
            #expect(!policy.contains("script-src") && !policy.contains("unsafe"))
            let nonce = try #require(policy.firstMatch(of: /'nonce-([0-9a-f]{32})'/)).1
            #expect(page.text.contains("<style nonce=\"\(nonce)\">"))
            #expect(page.text.contains("&quot;&gt;&lt;script&gt;\u{600}&lt;b&gt;"))
            #expect(page.text.contains("/v1/attachments/\(preview.file)?expires="))
            let closed = try await layout("category=invite&lease=x&content=\(text)")
            #expect(!closed.text.contains("/v1/attachments/"))
            #expect(try await layout("category=other&content={}").status == 404)
            #expect(try await layout("category=invite&content=x").status == 400)
        }
    }

    @Test("recent jobs are listed, and each can be fetched by its identifier")
    func jobs() async throws {
        let content = Array(#"{"payload":{"aps":{"alert":"Hi"}},"deadline":"5s"}"#.utf8)
        let preview = try await PreviewFixture(jobs: [.init(id: "a/b c", content: content)])
        try await SidecarFixture.run(preview: preview) { sidecar in
            let list = try await sidecar.send("/preview/jobs")
            #expect(list.text == #"{"jobs":["a/b c"]}"#)
            #expect(try await sidecar.send("/preview/jobs?id=a%2Fb%20c").body == content)
            #expect(try await sidecar.send("/preview/jobs?id=x").status == 404)
        }
    }
}
