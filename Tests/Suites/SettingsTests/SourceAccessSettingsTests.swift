import Base
import Downloads
import Foundation
import HTTPClient
import Media
import Processing
import Support
import Testing

@testable import Settings

@Suite("Reading the rules about sources that need a key")
struct SourceAccessSettingsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("Bearer secret-5d7f\n", to: "token")
        try TestCertificate.make(in: folder.url)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: folder.url.appending(path: TestCertificate.key).path,
        )
    }

    private func settings(_ rules: String, _ environment: [String: String] = [:]) throws -> Settings {
        let path = try folder.write("sources:\n\(rules)", to: "attachd.yaml")
        return try Settings(reading: SettingsSource(environment: environment, configurationFile: path))
    }

    private func refusal(_ rule: String, _ environment: [String: String] = [:]) -> String? {
        let error = #expect(throws: SettingsError.self) { try settings("  a: \(rule)", environment) }
        return error.map { "\($0)" }
    }

    @Test("headers come from files, variables and texts; paths begin at the configuration's folder")
    func headers() throws {
        let rule = "{match: 'https://a.example/b/', headers: {Authorization: {file: token}, Cookie: {env: C}, X-A: 7}}"
        let settings = try settings("  a: \(rule)", ["C": "b=c"])
        let headers = try #require(settings.access.first?.access?.headers)
        let values = Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value.current.revealed) })
        #expect(values == ["Authorization": "Bearer secret-5d7f", "Cookie": "b=c", "X-A": "7"])
        #expect(settings.reuse.sources.map(\.match) == ["https://a.example/b/*"])
        var text = ""
        dump(settings, to: &text)
        #expect(!text.contains("secret-5d7f") && !"\(settings)".contains("secret-5d7f"))
    }

    @Test("a header's file is read again; one that is not valid keeps the previous value")
    func reloaded() throws {
        let rule = "{match: 'https://a.example/', headers: {Authorization: {file: token}}}"
        let settings = try settings("  a: \(rule)")
        let secret = try #require(settings.sourceSecrets.first)
        let value = try #require(settings.access.first?.access?.headers.first?.value)
        #expect(try secret.reload() == false)
        try folder.write("Bearer other", to: "token")
        #expect(try secret.reload() && value.current.revealed == "Bearer other")
        for (text, mode) in [("a\nb", 0o600), ("", 0o600), ("Bearer open", 0o644)] {
            try folder.write(text, to: "token", mode: mode)
            #expect(throws: (any Error).self) { try secret.reload() }
            #expect(value.current.revealed == "Bearer other")
        }
    }

    @Test("rules stay in order, those without access too")
    func order() throws {
        let settings = try settings(
            """
              public: {match: 'https://a.example/public/*', ignoreQuery: [token]}
              inner: {match: 'https://a.example/', addresses: [10.0.0.7, 'fd00::7']}
              store: {match: 's3://media/a/', endpoint: 'http://10.0.0.8:9000', region: eu-central-1, style: path}
            """,
            ["AWS_ACCESS_KEY_ID": "AKIA1", "AWS_SECRET_ACCESS_KEY": "secret-5d7f"],
        )
        #expect(settings.access.map(\.name) == ["public", "inner", "store"])
        #expect(settings.access.map { $0.access == nil } == [true, false, false])
        #expect(settings.access[1].access?.addresses.map(\.description) == ["10.0.0.7", "fd00::7"])
        #expect(settings.access.resolve("s3://media/a/b.jpg").rule?.name == "store")
        #expect(settings.access.resolve("s3://media/b.jpg").rule == nil)
        #expect(settings.access.resolve("https://a.example/public/b").rule?.name == "public")
        #expect(settings.reuse.sources.count == 2)
    }

    @Test("a client certificate is read with its key, and again when either changes")
    func certificate() throws {
        let rule = "{match: 'https://a.example/', certificate: authority.pem, key: key.pem}"
        let settings = try settings("  a: \(rule)")
        let certificate = try #require(settings.access.first?.access?.certificate)
        let first = certificate.current
        #expect(settings.sourceSecrets.count == 2)
        let other = try TemporaryFolder()
        try TestCertificate.make(in: other.url)
        for name in [TestCertificate.certificate, TestCertificate.key] {
            let text = try String(contentsOf: other.url.appending(path: name), encoding: .utf8)
            try folder.write(text, to: name)
            let replaced = settings.sourceSecrets.map { secret in (try? secret.reload()) == true }
            // A certificate without its key is not used.
            #expect(replaced.contains(true) == (name == TestCertificate.key))
        }
        #expect(certificate.current != first)
    }

    @Test(
        "a rule that cannot work is refused, and the message names its key and what to do",
        arguments: [
            ("{match: 'https://a.example/', headers: {Host: b}}", "sources.a.headers.Host: attachd sets"),
            ("{match: 'https://a.example/', headers: {Range: b}}", "sources.a.headers.Range: attachd sets"),
            ("{match: 'https://a.example/', headers: {'A B': b}}", "This is not a header's name."),
            ("{match: 'https://a.example/', headers: {A: \"b\\nc\"}}", "has a line break"),
            ("{match: 'https://a.example/', headers: {A: b, a: c}}", "twice"),
            ("{match: 'https://a.example/', headers: {A: {file: secret-5d7f}}}", "There is no file of this name."),
            (
                "{match: 'https://a.example/', headers: {A: {env: secret-5d7f}}}",
                "sources.a.headers.A: The environment variable of this name is not set."
            ),
            ("{match: 'https://a.example/', headers: {A: {file: token, env: B}}}", "{file: PATH} or {env: NAME}"),
            (
                "{match: 'https://a.example/', headers: {A: {text: b}}}",
                "sources.a.headers.A.text: There is no such key"
            ),
            ("{match: 'https://a.example/', headers: {}}", "a table of names and values"),
            ("{match: 'https://a.example/', headers: b}", "The value is not a table of keys and values"),
            ("{match: 'https://a.example/', addresses: [10.0.0.0/8]}", "\"10.0.0.0/8\" is not an address."),
            ("{match: 'https://a.example', headers: {A: b}}", "with a slash at the end"),
            ("{match: 'https://*.example/', headers: {A: b}}", "with a slash at the end"),
            ("{match: 'https://a.example/', endpoint: 'http://b'}", "Only a rule that matches a bucket has it."),
            ("{match: 'https://a.example/', certificate: authority.pem}", "A client certificate needs its key."),
            ("{match: 'https://a.example/', certificate: token, key: key.pem}", "has no certificate in PEM form"),
            ("{match: 'https://a.example/', certificate: missing, key: key.pem}", "missing cannot be read"),
            ("{match: 'https://a.example/', certificate: authority.pem, key: token}", "has no private key"),
            (
                "{match: 'https://a.example/', certificate: authority.pem, key: secret-5d7f}",
                "There is no file of this name."
            ),
            ("{match: 's3://media/', endpoint: 'https://a:secret-5d7f@b'}", "This is not an endpoint"),
            ("{match: 's3://a:secret-5d7f@media/'}", "This does not name a bucket"),
            ("{match: 'https://a:secret-5d7f@a.example/', headers: {A: b}}", "with a slash at the end"),
            ("{match: 's3://media/'}", "The bucket needs credentials."),
            ("{match: 's3://A/'}", "does not name a bucket"),
            ("{match: 's3://media/', style: b}", "path or host"),
            ("{match: 's3://media/', endpoint: b}", "is not an endpoint"),
            ("{match: 's3://media/', ignoreQuery: [a]}", "Objects of a bucket have none."),
            ("{match: 'https://a.example/'}", "sources.a.ignoreQuery"),
        ]
    )
    func refused(rule: String, words: String) throws {
        let reason = try #require(refusal(rule))
        #expect(reason.contains(words), "\(reason)")
        #expect(!reason.contains("secret-5d7f"))
    }

    @Test("signed requests refuse the headers of the signature")
    func signed() throws {
        let environment = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "secret-5d7f"]
        let reason = refusal("{match: 's3://media/', headers: {Authorization: b}}", environment)
        #expect(reason?.contains("The signature for the bucket sets") == true)
    }

    @Test("a rule that stands behind one for the same sources is refused")
    func hidden() throws {
        let error = #expect(throws: SettingsError.self) {
            try settings(
                """
                  wide: {match: 'https://a.example/', headers: {A: b}}
                  narrow: {match: 'https://a.example/c/', headers: {A: d}}
                """
            )
        }
        #expect(error?.key == "sources.narrow.match" && error?.reason.contains("The rule wide") == true)
    }

    @Test("a file that others can read is refused")
    func mode() throws {
        try folder.write("Bearer secret-5d7f", to: "token", mode: 0o644)
        let reason = refusal("{match: 'https://a.example/', headers: {A: {file: token}}}")
        #expect(reason?.contains("Every user of this machine can read") == true)
    }
}
