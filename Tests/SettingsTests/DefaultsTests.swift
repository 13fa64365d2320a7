import Foundation
import Support
import Testing

@testable import Settings

@Suite("Defaults and values in help texts")
struct DefaultsTests {
    /// The settings whose default is described, not written as a value.
    private static let described: Set<SettingsKey> = [
        .store, .publicURL, .publish, .publishEndpoint, .publishRegion, .publishStyle, .publishCredentialsFile,
        .signingKeyFile, .allowAddresses, .decoders, .disabledFormats, .logFormat, .metricsListen, .queue,
    ]

    private func settings(_ environment: [String: String] = [:]) throws -> String {
        var text = ""
        var settings = try Settings(reading: SettingsSource(environment: environment))
        // A batch has its own default.
        settings.fileDeadline = settings.deadline
        dump(settings, to: &text)
        return text
    }

    @Test("a default in a help text is the real one", arguments: SettingsKey.allCases)
    func real(key: SettingsKey) throws {
        let help = key.option.help
        #expect(help.matches(of: /(?i)default/).count <= 1)
        guard let match = help.firstMatch(of: /\(default: ([^,]*)(, .*)?\)$/) else { return }
        guard !Self.described.contains(key) else { return }
        let value = String(match.1)
        #expect(try settings([key.variable: value]) == settings(), "\(key): \(value)")
    }

    @Test("a shell offers values that are valid, and all of them", arguments: SettingsKey.allCases)
    func words(key: SettingsKey) throws {
        guard !key.words.isEmpty, key != .queue else { return }
        for word in key.words { #expect(throws: Never.self) { try settings([key.variable: word]) } }
        let error = try #require(throws: SettingsError.self) { try settings([key.variable: "no-such-value"]) }
        for word in key.words { #expect(error.reason.contains(word)) }
    }

    @Test("a shell offers the beginnings of addresses of queues", arguments: SettingsKey.queue.words)
    func queues(beginning: String) throws {
        let address = beginning == "sqlite:" ? "/tmp/queue" : "127.0.0.1:1\(beginning.contains("sentinel") ? "/a" : "")"
        #expect(throws: Never.self) { try settings([SettingsKey.queue.variable: beginning + address]) }
    }
}
