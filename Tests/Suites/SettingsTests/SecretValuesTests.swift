import Base
import Foundation
import Support
import Testing

@testable import Settings

/// Tests of values that stand where they do not belong: a token in place of its file, a password in a URL.
@Suite("A refused setting does not repeat a secret")
struct SecretValuesTests {
    private static let secret = "hunter2-5d7f"
    private static let table = Settings.table

    /// Returns the error's text for a value, given as an option, as a variable, and in a file.
    private func refusals(
        _ setting: SettingDeclaration,
        _ value: String,
        with others: [String: SettingsSource.Option] = [:],
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = try folder.write(#"{"\#(setting.key)": "\#(value)"}"#, to: "attachd.json")
        let option: SettingsSource.Option =
            if case .secret = setting.form { .secret(Secret(value)) } else { .text(value) }
        let sources = [
            SettingsSource(options: others.merging([setting.key: option]) { $1 }, environment: [:]),
            SettingsSource(options: others, environment: [setting.variable: value]),
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
        arguments: [table.apiTokenFile, table.signingKeyFile, table.publishCredentialsFile].map(\.declaration),
        ["\(secret)", "/\(secret)", "\(secret)/a+b/c=", "/dev/null/\(secret)", String(repeating: secret, count: 400)],
    )
    func files(setting: SettingDeclaration, value: String) throws {
        let bucket: [String: SettingsSource.Option] = [
            "publish": .text("s3://media"), "publicUrl": .text("https://push.example.com"),
        ]
        for text in try refusals(setting, value, with: setting.key == "publishCredentialsFile" ? bucket : [:]) {
            #expect(text.contains(setting.key) && text.contains("give the path of that file"), "\(text)")
            #expect(!text.contains(Self.secret), "\(text)")
        }
    }

    @Test(
        "that is in a URL",
        arguments: [
            (table.publicURL.declaration, "https://user:\(secret)@push.example.com"),
            (table.publicURL.declaration, "https://push.example.com/?key=\(secret)"),
            (table.publicURL.declaration, "push.example.com#\(secret)"),
            (table.responseWebhook.declaration, "https://hooks.example/?key=\(secret)"),
            (table.responseWebhook.declaration, "hooks.example/\(secret)"),
            (table.publishEndpoint.declaration, "https://key:\(secret)@s3.example.com"),
            (table.publish.declaration, "s3://key:\(secret)@media"),
            (table.queue.declaration, "redis://:\(secret)@127.0.0.1:99999"),
            (table.queue.declaration, "mysql://:\(secret)@b"), (table.queue.declaration, secret),
            (table.queue.declaration, "redis://user:1?\(secret)@b"),
            (table.queue.declaration, "redis://user:1/\(secret)@b"),
            (table.queue.declaration, "redis-sentinel://a:1/b?sentinelPasword=\(secret)"),
        ]
    )
    func urls(setting: SettingDeclaration, value: String) throws {
        let bucket: [String: SettingsSource.Option] = ["publish": .text("s3://media")]
        for text in try refusals(setting, value, with: setting.key == "publishEndpoint" ? bucket : [:]) {
            #expect(text.contains("Configuration: ") && !text.contains(Self.secret), "\(text)")
        }
    }

    @Test("but a file that is there is named, with what to do")
    func existing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("0123456789abcdef", to: "token", mode: 0o644)
        for text in try refusals(Self.table.apiTokenFile.declaration, path) {
            #expect(text.contains("chmod 600 \(path)"), "\(text)")
        }
    }
}
