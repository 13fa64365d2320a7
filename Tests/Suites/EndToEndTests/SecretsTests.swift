import Base
import Foundation
import Support
import Testing

/// Tests that run every command with every secret set, at the most detailed log level.
@Suite("Secrets", .needsRedis, .timeLimit(.minutes(10)))
struct SecretsTests {
    private static let secrets = [
        "token": "token-5b7e0f3a9c1d4e6f", "key": "signing-key-8d2f6a4b0c9e1f3a5b7d9e",
        "old key": "signing-old-1d2f6a4b0c9e1f3a5b7d9e", "password": "password-7c3e9b5a",
        "aws": "aws-secret-2f8a6c4e0b", "aws token": "aws-token-9e1b3d5f7a", "collector": "collector-3d5b7f9a1c",
        "header": "header-6e8f0a2c4d", "cookie": "cookie-1a3c5e7f9b", "text": "text-0b2d4f6a8c",
    ]
    /// A secret in a source's URL. The result repeats it to the sender, but no log contains it.
    private static let sourceSecret = "source-secret-4a6c8e0b"

    private let attachd: AttachdProgram
    private let redis: RedisServer
    private let photo = SampleMedia.photo

    init() throws {
        var attachd = try AttachdProgram()
        let redis = try RedisServer()
        try redis.command(["CONFIG", "SET", "requirepass", Self.secret("password")])
        func file(_ name: String, _ content: String) throws -> String {
            let file = attachd.folder.url.appending(path: name)
            try Data(content.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            return file.path
        }
        let headers = """
            {Authorization: {file: \(try file("header", Self.secret("header")))}, Cookie: {env: SOURCE_COOKIE}, \
            X-Key: \(Self.secret("text"))}
            """
        let rule = "{match: 'http://guarded.invalid/', headers: \(headers)}"
        attachd.environment = [
            "ATTACHD_CONFIG": try file("attachd.yaml", "sources:\n  guarded: \(rule)\n"),
            "SOURCE_COOKIE": Self.secret("cookie"),
            "ATTACHD_API_TOKEN_FILE": try file("token", Self.secret("token")),
            "ATTACHD_SIGNING_KEY_FILE": try file("key", "\(Self.secret("key"))\n\(Self.secret("old key"))"),
            "ATTACHD_QUEUE": "redis://:\(Self.secret("password"))@127.0.0.1:\(redis.port)",
            "ATTACHD_PUBLISH": "s3://media/pushes", "ATTACHD_PUBLISH_ENDPOINT": "http://127.0.0.1:1",
            "ATTACHD_PUBLIC_URL": "https://push.example.com", "AWS_ACCESS_KEY_ID": "AKIA1",
            "AWS_SECRET_ACCESS_KEY": Self.secret("aws"), "AWS_SESSION_TOKEN": Self.secret("aws token"),
            "ATTACHD_LOG_LEVEL": "trace", "ATTACHD_LOG_FORMAT": "text", "ATTACHD_ALLOW_ADDRESSES": "127.0.0.1",
            "ATTACHD_STORE": attachd.store, "TMPDIR": attachd.folder.path,
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=\(Self.secret("collector"))",
        ]
        self.attachd = attachd
        self.redis = redis
    }

    private static func secret(_ name: String) -> String { secrets[name] ?? "" }

    /// Checks that `text` contains no secret, neither as text nor as the numbers of its bytes.
    private func check(_ text: String, _ origin: String, also more: [String] = []) {
        for secret in Self.secrets.values + more {
            let numbers = secret.utf8.prefix(10).map { "\($0)" }.joined(separator: ", ")
            #expect(!text.contains(secret) && !text.contains(numbers), "\(origin) shows \(secret)")
        }
    }

    private func envelope(_ url: String, id: String) -> [UInt8] {
        Array(
            #"{"id":"\#(id)","payload":{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}}"#.utf8
        )
    }

    @Test(
        "no command prints a secret",
        arguments: ["process", "enqueue", "jobs", "batch", "doctor", "dialects", "loadtest"]
    )
    func commands(name: String) async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let folder = attachd.folder.url
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(origin.url("/a.jpg"))"}"#
        let input = folder.appending(path: "payload.json")
        try Data(payload.utf8).write(to: input)
        let media = folder.appending(path: "media")
        try FileManager.default.createDirectory(at: media, withIntermediateDirectories: true)
        try Data(photo).write(to: media.appending(path: "photo.jpg"))
        let arguments =
            switch name {
            case "batch": ["batch", media.path, "--out", folder.appending(path: "out").path]
            case "jobs": ["jobs", "list"]
            case "process", "enqueue": [name, input.path]
            case "loadtest":
                [
                    "loadtest", "redis://:\(Self.secret("password"))@127.0.0.1:\(redis.port)", "--source",
                    origin.url("/a.jpg"), "--rate", "5", "--duration", "1s", "--warm-up", "0s", "--deadline", "1s",
                ]
            default: [name]
            }
        let outcome = try await attachd.run(arguments)
        // A load test whose queue has no worker misses no budget, because it has none.
        #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
        #expect(!(outcome.output + outcome.errors).isEmpty || name == "dialects")
        check(outcome.output + outcome.errors, name)
        #expect(!(outcome.errors).contains(Self.sourceSecret))
    }

    @Test(
        "a worker and its sidecar print no secret and count none, whatever the request",
        arguments: ["serve", "work"]
    )
    func services(name: String) async throws {
        let origin = try OriginServer { [photo] request in
            request.path.hasPrefix("/gone") ? .status(404) : .body(photo)
        }
        defer { origin.stop() }
        let log = attachd.folder.url.appending(path: "log").path
        let program = try attachd.start([name, "--listen", "127.0.0.1:0"], errors: log)
        func text() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        let pattern = /port=([0-9]+)/
        var port: Int?
        try await eventually {
            port = (try? pattern.firstMatch(in: text())).flatMap { Int($0.1) }
            return port != nil || !RunningSidecar.isAlive(program.identifier)
        }
        var metrics = ""
        if let port {
            metrics = try await visit(port, origin, takesRequests: name == "serve")
        }
        program.terminate()
        let output = String(decoding: try program.readToEnd(), as: UTF8.self)
        #expect(program.wait() == 0, "\(text())")
        #expect(text().contains("attachd listens.") && metrics.contains("attachd_"))
        // At `trace`, the services, connections and requests are logged.
        #expect(text().contains(" debug ") || text().contains(" trace "))
        check(text() + output + metrics, name, also: [Self.sourceSecret])
    }

    /// Sends a valid and an invalid request to every route, and returns the metrics.
    private func visit(_ port: Int, _ origin: OriginServer, takesRequests: Bool) async throws -> String {
        let right = ["Authorization": "Bearer \(Self.secret("token"))", "Content-Type": "application/json"]
        if takesRequests {
            let query = "?token=\(Self.sourceSecret)"
            let sources = [
                origin.url("/photo.jpg\(query)"), origin.url("/gone.jpg\(query)"),
                "http://user:\(Self.sourceSecret)@127.0.0.1/a.jpg", "http://10.0.0.1/a.jpg\(query)",
                "http://[::1/\(Self.sourceSecret)", "https://nowhere.invalid/a.jpg\(query)",
                "http://guarded.invalid/a.jpg\(query)",
            ]
            for (index, source) in sources.enumerated() {
                for path in ["/v1/notifications", "/v1/jobs"] {
                    _ = try await HTTPClient.send(
                        "POST",
                        path: path,
                        port: port,
                        headers: right,
                        body: envelope(source, id: "\(index)"),
                    )
                }
                _ = try await HTTPClient.send(path: "/v1/jobs/\(index)?wait=5s", port: port, headers: right)
            }
            let form = ["Content-Type": "application/x-www-form-urlencoded", "Origin": "http://localhost"]
            let login = Array("token=\(Self.secret("token"))".utf8)
            let answer = try await HTTPClient.send(
                "POST",
                path: "/preview/session",
                port: port,
                headers: form,
                body: login,
            )
            #expect(answer.status == 303 || answer.status == 302)
            for path in ["/v1/attachments/a?signature=\(Self.sourceSecret)", "/nowhere?\(Self.sourceSecret)", "/a/b?c"]
            {
                _ = try await HTTPClient.send(path: path, port: port, headers: right)
            }
        }
        _ = try await HTTPClient.send(path: "/readyz", port: port)
        return try await HTTPClient.send(path: "/metrics", port: port).text
    }

    @Test("an origin for tests prints no secret")
    func origin() throws {
        let errors = attachd.folder.url.appending(path: "errors").path
        let program = try attachd.start(["origin", attachd.folder.path, "--listen", "127.0.0.1:0"], errors: errors)
        let line = try program.readLine(beginning: "http://")
        program.terminate()
        let output = String(decoding: try program.readToEnd(), as: UTF8.self)
        program.wait()
        let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        #expect(line != nil, "\(text)")
        check((line ?? "") + output + text, "origin")
    }

    @Test(
        "a refused setting shows no secret",
        arguments: [
            "redis://:password-7c3e9b5a@127.0.0.1:99999", "redis://user:password-7c3e9b5a@",
            "redis://a:password-7c3e9b5a",
            "rediss://:password-7c3e9b5a@127.0.0.1:1/x", "mysql://a:password-7c3e9b5a@b",
            "redis://:password-7c3e9b5a@127.0.0.1:1", "redis-sentinel://:password-7c3e9b5a@127.0.0.1:1",
            "redis-sentinel://:password-7c3e9b5a@127.0.0.1:1/mymaster?sentinelPassword=password-7c3e9b5a",
        ],
    )
    func refused(queue: String) async throws {
        var attachd = attachd
        attachd.environment["ATTACHD_QUEUE"] = queue
        for arguments in [
            ["jobs", "list"], ["jobs", "list", "--queue", queue], ["loadtest", queue, "--source", "a"],
        ] {
            let outcome = try await attachd.run(arguments)
            #expect(outcome.status != 0 && !outcome.errors.isEmpty)
            check(outcome.output + outcome.errors, arguments.joined(separator: " "))
        }
        attachd.environment["ATTACHD_QUEUE"] = nil
        attachd.environment["ATTACHD_RESPONSE_WEBHOOK"] = "http://user:password-7c3e9b5a@127.0.0.1/"
        let outcome = try await attachd.run(["jobs", "list"])
        #expect(outcome.status == 78)
        check(outcome.output + outcome.errors, "a webhook")
    }
}
