import App
import Base
import Downloads
import Foundation
import HTTPClient
import JobsRedis
import LoadTest
import Logging
import Media
import Preview
import Settings
import Sidecar
import Storage
import Support
import Testing

/// Tests that descriptions show no secret: loggers, service groups and debuggers describe values with all their
/// members.
@Suite("Descriptions of values that hold secrets", .timeLimit(.minutes(10)))
struct DescriptionTests {
    private static let token = "token-5b7e0f3a9c1d"
    private static let key = "signing-key-8d2f6a4b0c9e1f3a5b7d"
    private static let password = "password-7c3e9b"
    private static let awsSecret = "aws-secret-2f8a6c4e"
    private static let awsToken = "aws-token-9e1b3d5f"

    private let folder: TemporaryFolder
    private let source: SettingsSource
    private let settings: Settings

    init() async throws {
        let folder = try TemporaryFolder()
        func file(_ name: String, _ content: String) throws -> String {
            let file = folder.url.appending(path: name)
            try Data(content.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            return file.path
        }
        let source = SettingsSource(
            options: [
                "apiTokenFile": .text(try file("token", Self.token)),
                "signingKeyFile": .text(try file("key", "\(Self.key)\n\(Self.key)-old")),
                "queue": .secret(Secret("redis://worker:\(Self.password)@127.0.0.1:1/0")),
                "store": .text(folder.url.appending(path: "store").path),
                "publish": .text("s3://media/pushes"),
                "publicUrl": .text("https://push.example.com"),
            ],
            environment: [
                "AWS_ACCESS_KEY_ID": "AKIA1", "AWS_SECRET_ACCESS_KEY": Self.awsSecret,
                "AWS_SESSION_TOKEN": Self.awsToken,
            ],
        )
        self.folder = folder
        self.source = source
        settings = try Settings(reading: source)
    }

    /// Returns all texts that describing `value` can produce.
    private func texts(_ value: Any) -> String {
        var text =
            "\(value)\n\(String(describing: value))\n\(String(reflecting: value))\n\(Mirror(reflecting: value))\n"
        dump(value, to: &text)
        return text
    }

    private func check(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = texts(value)
        for secret in [Self.token, Self.key, Self.password, Self.awsSecret, Self.awsToken] {
            let bytes = secret.utf8.prefix(12).map { "\($0)" }
            let spelled = [secret, bytes.joined(separator: ", "), bytes.map { "- \($0)" }.joined(separator: "\n")]
            // `dump` writes each element on its own line, at any depth.
            let flat = text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n")
            for form in spelled { #expect(!flat.contains(form), sourceLocation: sourceLocation) }
        }
    }

    @Test("settings and their sources show no secret")
    func settingsAndSource() async throws {
        check(settings)
        check(source)
        check(settings.queue)
        #expect(settings.apiToken?.revealed == Self.token && settings.publishing != nil)
    }

    @Test("a running engine and the parts that sign show no secret")
    func engine() async throws {
        let engine = try Engine(settings, readsLocalFiles: false, logger: Logger(label: "test"))
        check(engine)
        check(engine.store)
        check(engine.bucket as Any)
        check(URLSigner(keys: engine.store.keys))
        check(MessageSigner(keys: engine.store.keys))
        check(engine.store.urls(below: "https://push.example.com"))
        check(AttachmentsRoute(store: engine.store))
        await engine.shutDown()
    }

    @Test("the services of a sidecar show no secret: swift-service-lifecycle logs a description of each")
    func services() async throws {
        var source = source
        source.options["queue"] = .text("sqlite:\(folder.url.appending(path: "queue.sqlite").path)")
        let settings = try Settings(reading: source)
        let engine = try Engine(settings, readsLocalFiles: false, logger: Logger(label: "test"))
        let queue = try await settings.openQueue(logger: Logger(label: "test"))
        let services = try SidecarServices(settings, engine, queue, logger: Logger(label: "test"))
        check(services)
        var configuration = SidecarServer.Configuration()
        configuration.apiToken = settings.apiToken.map { Replaceable($0) }
        check(configuration)
        await queue.shutDown()
        await engine.shutDown()
    }

    @Test("a client, a session and a signed message show no secret")
    func clients() throws {
        let token = try #require(settings.apiToken)
        check(PreviewSession(token: Replaceable(token)))
        check(try HTTPConnections(try #require(URL(string: "http://127.0.0.1:8080")), token: token))
        var message = OutgoingMessage(headers: [:])
        message.secretHeaders["Authorization"] = Secret("Bearer \(Self.token)")
        message.signature = SignatureV4(
            region: "us-east-1",
            accessKeyID: "AKIA1",
            secretAccessKey: Secret(Self.awsSecret),
        )
        check(message)
        check(try RedisSettings(url: "rediss://worker:\(Self.password)@127.0.0.1:1"))
        check(
            try RedisSettings(
                url: "redis-sentinel://:\(Self.password)@127.0.0.1:1/mymaster?sentinelPassword=\(Self.password)"
            )
        )
    }

    @Test(
        "an error in a configuration file quotes no line of the file",
        arguments: [
            "queue: \"redis://worker:\(password)@host",
            "queue: [redis://worker:\(password)@host",
            "a: b: redis://worker:\(password)@host",
            "responseWebhook: http://worker:\(password)@host/",
            "queue: redis://worker:\(password)@host:99999999",
            "queue: \"redis://worker:\(password)@host/\\0\"",
        ],
    )
    func errors(content: String) async throws {
        let file = folder.url.appending(path: "attachd.yaml")
        try Data(content.utf8).write(to: file)
        let source = SettingsSource(environment: [:], configurationFile: file.path)
        let error = #expect(throws: SettingsError.self) { _ = try Settings(reading: source) }
        #expect(error.map { !texts($0).contains(Self.password) } == true)
    }
}
