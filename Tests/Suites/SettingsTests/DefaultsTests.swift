import Foundation
import Support
import Testing

@testable import Settings

@Suite("Defaults and values in help texts")
struct DefaultsTests {
    /// The settings whose default is described, not written as a value.
    private static let described: Set<String> = [
        "store", "publicUrl", "publish", "publishEndpoint", "publishRegion", "publishStyle", "publishCredentialsFile",
        "signingKeyFile", "allowAddresses", "contact", "decoders", "formats.disabled", "logFormat", "metricsListen",
        "queue",
    ]

    private func settings(_ environment: [String: String] = [:]) throws -> Settings {
        try Settings(reading: SettingsSource(environment: environment))
    }

    @Test("a default in a help text is written as users write it, and the real one", arguments: Settings.all)
    func real(setting: SettingDeclaration) throws {
        let help = setting.helpText
        #expect(help.matches(of: /(?i)default/).count <= 1)
        guard let match = help.firstMatch(of: /\(default: ([^,]*)(, .*)?\)$/) else { return }
        guard !Self.described.contains(setting.key) else { return }
        let value = String(match.1)
        let (written, missing) = (try settings([setting.variable: value]), try settings())
        let values = try [written, missing].map { "\(try #require($0.values[setting.key]))" }
        #expect(values[0] == values[1], "\(setting.key): \(value)")
    }

    @Test("a shell offers values that are valid, and all of them", arguments: Settings.all)
    func words(setting: SettingDeclaration) throws {
        guard !setting.words.isEmpty, setting.key != "queue" else { return }
        for word in setting.words { #expect(throws: Never.self) { try settings([setting.variable: word]) } }
        let error = try #require(throws: SettingsError.self) { try settings([setting.variable: "no-such-value"]) }
        for word in setting.words { #expect(error.reason.contains(word)) }
    }

    @Test("a shell offers the beginnings of addresses of queues", arguments: Settings.table.queue.declaration.words)
    func queues(beginning: String) throws {
        let address = beginning == "sqlite:" ? "/tmp/queue" : "127.0.0.1:1\(beginning.contains("sentinel") ? "/a" : "")"
        #expect(throws: Never.self) { try settings(["ATTACHD_QUEUE": beginning + address]) }
    }
}
