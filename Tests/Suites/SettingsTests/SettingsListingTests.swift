import Base
import Foundation
@testable import Settings
import Support
import Testing

@Suite("The listing of all settings")
struct SettingsListingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func listing(
        _ options: [String: SettingsSource.Option] = [:],
        _ environment: [String: String] = [:],
        file: String? = nil,
    ) throws -> [String: SettingRow] {
        let path = try file.map { content in
            let file = folder.url.appending(path: "config.yaml")
            try Data(content.utf8).write(to: file)
            return file.path
        }
        let source = SettingsSource(options: options, environment: environment, configurationFile: path)
        return Dictionary(uniqueKeysWithValues: try Settings(reading: source).listing.map { ($0.key, $0) })
    }

    @Test("each value stands with the option, variable or file that it comes from")
    func origins() throws {
        let rows = try listing(
            ["deadline": .text("3s"), "preview": .flag(false)],
            ["ATTACHD_DEADLINE": "4s", "ATTACHD_KEEP": "2h", "ATTACHD_QUOTA": ""],
            file:
                "deadline: 5s\nkeep: 3h\ndecoders: 2\nrequireSandbox: true\nallowAddresses: [10.0.0.0/8, 10.1.0.0/16]\n",
        )
        let file = folder.url.appending(path: "config.yaml").path
        #expect(rows["deadline"] == .init(key: "deadline", value: "3s", origin: "--deadline"))
        #expect(rows["preview"] == .init(key: "preview", value: "false", origin: "--no-preview"))
        #expect(rows["keep"] == .init(key: "keep", value: "2h", origin: "ATTACHD_KEEP"))
        #expect(rows["decoders"] == .init(key: "decoders", value: "2", origin: file))
        #expect(rows["requireSandbox"] == .init(key: "requireSandbox", value: "true", origin: file))
        #expect(rows["allowAddresses"] == .init(key: "allowAddresses", value: "10.0.0.0/8, 10.1.0.0/16", origin: file))
        #expect(rows["quota"] == .init(key: "quota", value: "10GB", origin: "default"))
        #expect(rows.count == Settings.all.count)
    }

    @Test(
        "a password is hidden, wherever it comes from",
        arguments: [
            "redis://:secret-1@127.0.0.1:6379", "rediss://user:secret-1@[::1]:6379",
            "redis-sentinel://:secret-1@a,b/mymaster?sentinelPassword=secret-1@x&lane=a&sentinelUser=secret-1",
        ]
    )
    func passwords(queue: String) throws {
        for rows in [
            try listing(["queue": .secret(Secret(queue))]), try listing([:], ["ATTACHD_QUEUE": queue]),
            try listing(file: "queue: \"\(queue)\"\n"),
        ] {
            let value = try #require(rows["queue"]?.value)
            #expect(!value.contains("secret-1") && value.contains("://(secret)@"))
        }
    }

    @Test("settings that no command would take are an error")
    func invalid() { #expect(throws: SettingsError.self) { try listing(["deadline": .text("soon")]) } }
}
