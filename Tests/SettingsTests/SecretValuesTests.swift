import Foundation
import Support
import Testing
import Values

@testable import Settings

/// Tests of values that stand where they do not belong: a token in place of its file, a password in a URL.
@Suite("A refused setting does not repeat a secret")
struct SecretValuesTests {
    private static let secret = "hunter2-5d7f"

    /// Returns the error's text for a value, given as an option, as a variable, and in a file.
    private func refusals(
        _ key: SettingsKey,
        _ value: String,
        with others: [SettingsKey: SettingsSource.Option] = [:],
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = try folder.write(#"{"\#(key.rawValue)": "\#(value)"}"#, to: "attachd.json")
        let option: SettingsSource.Option =
            if case .secret = key.option.form { .secret(Secret(value)) } else { .text(value) }
        let sources = [
            SettingsSource(options: others.merging([key: option]) { $1 }, environment: [:]),
            SettingsSource(options: others, environment: [key.variable: value]),
            SettingsSource(options: others, environment: [:], configurationFile: file),
        ]
        return try sources.map { source in
            let error = try #require(throws: SettingsError.self) { try Settings(reading: source) }
            var text = "\(error)\n\(String(reflecting: error))"
            dump(error, to: &text)
            return text
        }
    }

    @Test(
        "that is given in place of its file",
        arguments: [SettingsKey.apiTokenFile, .signingKeyFile, .publishCredentialsFile],
        ["\(secret)", "/\(secret)", "\(secret)/a+b/c=", "/dev/null/\(secret)", String(repeating: secret, count: 400)],
    )
    func files(key: SettingsKey, value: String) throws {
        let bucket: [SettingsKey: SettingsSource.Option] = [
            .publish: .text("s3://media"), .publicURL: .text("https://push.example.com"),
        ]
        for text in try refusals(key, value, with: key == .publishCredentialsFile ? bucket : [:]) {
            #expect(text.contains(key.rawValue) && text.contains("give the path of that file"), "\(text)")
            #expect(!text.contains(Self.secret), "\(text)")
        }
    }

    @Test(
        "that is in a URL",
        arguments: [
            (SettingsKey.publicURL, "https://user:\(secret)@push.example.com"),
            (.publicURL, "https://push.example.com/?key=\(secret)"), (.publicURL, "push.example.com#\(secret)"),
            (.responseWebhook, "https://hooks.example/?key=\(secret)"), (.responseWebhook, "hooks.example/\(secret)"),
            (.publishEndpoint, "https://key:\(secret)@s3.example.com"), (.publish, "s3://key:\(secret)@media"),
            (.queue, "redis://:\(secret)@127.0.0.1:99999"), (.queue, "mysql://:\(secret)@b"), (.queue, secret),
            (.queue, "redis://user:1?\(secret)@b"), (.queue, "redis://user:1/\(secret)@b"),
            (.queue, "redis-sentinel://a:1/b?sentinelPasword=\(secret)"),
        ]
    )
    func urls(key: SettingsKey, value: String) throws {
        let bucket: [SettingsKey: SettingsSource.Option] = [.publish: .text("s3://media")]
        for text in try refusals(key, value, with: key == .publishEndpoint ? bucket : [:]) {
            #expect(text.contains("Configuration: ") && !text.contains(Self.secret), "\(text)")
        }
    }

    @Test("but a file that is there is named, with what to do")
    func existing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("0123456789abcdef", to: "token", mode: 0o644)
        for text in try refusals(.apiTokenFile, path) { #expect(text.contains("chmod 600 \(path)"), "\(text)") }
    }
}
