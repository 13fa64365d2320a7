import Settings
import Downloads
import Foundation
import HTTPClient
import Media
import Storage
import Support
import Testing

@Suite("Reading settings from all sources")
struct SettingsReadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func settings(
        _ options: [String: SettingsSource.Option] = [:],
        _ environment: [String: String] = [:],
        yaml: String? = nil,
        json: String? = nil,
    ) throws -> Settings {
        var path: String?
        for (text, name) in [(yaml, "attachd.yaml"), (json, "attachd.json")] {
            guard let text else { continue }
            let file = folder.url.appending(path: name)
            try Data(text.utf8).write(to: file)
            path = file.path
        }
        return try Settings(
            reading: SettingsSource(options: options, environment: environment, configurationFile: path)
        )
    }

    @Test("an option wins over a variable, and a variable over the file; an empty variable counts as absent")
    func order() throws {
        let yaml = "keep: 1h"
        let variable = ["ATTACHD_KEEP": "2h"]
        #expect(try settings(["keep": .text("3h")], variable, yaml: yaml).retention.keep == .seconds(3 * 3600))
        #expect(try settings([:], variable, yaml: yaml).retention.keep == .seconds(2 * 3600))
        #expect(try settings([:], ["ATTACHD_KEEP": ""], yaml: yaml).retention.keep == .seconds(3600))
        #expect(try settings().retention.keep == .seconds(24 * 3600))
    }

    @Test("variables hold flags as words or digits, and lists with commas")
    func variables() throws {
        for (text, value) in [
            ("true", true), ("YES", true), ("1", true), ("false", false), ("no", false), ("0", false),
        ] {
            #expect(try settings([:], ["ATTACHD_STRICT": text]).isStrict == value)
        }
        let addresses = try settings([:], ["ATTACHD_ALLOW_ADDRESSES": "10.0.0.0/8, ::1"]).allowedAddresses
        #expect(addresses.map(\.description) == ["10.0.0.0/8", "::1/128"])
        for (name, text) in [("STRICT", "maybe"), ("REQUESTS", "many"), ("REQUESTS", "0"), ("KEEP", "5")] {
            #expect(throws: SettingsError.self) { try settings([:], ["ATTACHD_\(name)": text]) }
        }
    }

    @Test("a file in JSON means the same as in YAML")
    func forms() throws {
        let yaml = "requests: 7\nstrict: true\nkeep: 1h\nallowAddresses: [10.0.0.0/8]\n"
        let json = #"{"requests": 7, "strict": true, "keep": "1h", "allowAddresses": ["10.0.0.0/8"]}"#
        for settings in [try settings(yaml: yaml), try settings(json: json)] {
            #expect(settings.requests == 7 && settings.isStrict && settings.retention.keep == .seconds(3600))
            #expect(settings.allowedAddresses.map(\.description) == ["10.0.0.0/8"])
        }
    }

    @Test("a profile lists formats of pictures, each once, and JPEG last")
    func pictureFormats() throws {
        for (list, formats) in [("[jpeg]", [.jpeg]), ("[webp, jpeg]", [.webp, .jpeg])] as [(String, [OutputFormat])] {
            let profiles = try settings(yaml: "profiles: {own: {basedOn: fcm, formats: \(list)}}").profiles
            #expect(profiles.first { $0.name == "own" }?.image.formats == formats)
        }
        for list in ["[webp]", "[jpeg, webp]", "[png, jpeg]", "[jpeg, jpeg]", "[heic, jpeg]", "[7]", "webp"] {
            let error = #expect(throws: SettingsError.self) {
                try settings(yaml: "profiles: {own: {formats: \(list)}}")
            }
            #expect(error?.description.contains("[jpeg]") == true, "\(list)")
        }
    }

    @Test(
        "a value of the wrong kind is refused",
        arguments: [
            #"{"keep": 3600}"#, #"{"requests": "7"}"#, #"{"strict": "true"}"#, #"{"allowAddresses": "10.0.0.0/8"}"#,
            #"{"allowAddresses": [10]}"#, #"{"requests": 1.5}"#, #"{"keep": null}"#, "keep: 1h", "[]", "",
        ]
    )
    func wrongKinds(json: String) {
        #expect(throws: SettingsError.self) { try settings(json: json) }
    }

    @Test(
        "a file in YAML is refused if a value is of the wrong kind, or it has no values",
        arguments: [
            "requests: 1:30", "requests: [7]", "strict: 2", "allowAddresses: 10.0.0.0/8", "keep: {a: 1}", "", "keep",
        ]
    )
    func wrongYAML(yaml: String) {
        #expect(throws: SettingsError.self) { try settings(yaml: yaml) }
    }
}
