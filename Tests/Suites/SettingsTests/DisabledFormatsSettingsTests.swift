import Foundation
import Media
import Settings
import Support
import Testing

@Suite("The setting formats.disabled")
struct DisabledFormatsSettingsTests {
    private func names(_ source: SettingsSource) throws -> [String] {
        try Settings(reading: source).disabledFormats.names
    }

    private func names(file text: String, _ options: [String: SettingsSource.Option] = [:]) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: text.hasPrefix("{") ? "attachd.json" : "attachd.yaml")
        try Data(text.utf8).write(to: file)
        return try names(SettingsSource(options: options, environment: [:], configurationFile: file.path))
    }

    @Test(
        "the file has the list in a table, in YAML and JSON",
        arguments: [
            ("formats: {disabled: [heic, hevc]}", ["heic", "hevc"]), ("formats:\n  disabled: [GIF]", ["gif"]),
            (#"{"formats": {"disabled": ["vp9", "mp4"]}}"#, ["mp4", "vp9"]), ("formats: {disabled: []}", []),
            ("formats: {}", []), ("keep: 1h", []),
        ],
    )
    func file(text: String, expected: [String]) throws { #expect(try names(file: text) == expected) }

    @Test("a variable has commas, and an option wins over the file")
    func otherSources() throws {
        let variable = ["ATTACHD_FORMATS_DISABLED": "heic, AV1"]
        #expect(try names(SettingsSource(environment: variable)) == ["heic", "av1"])
        #expect(try names(file: "formats: {disabled: [gif]}", ["formats.disabled": .texts(["png"])]) == ["png"])
    }

    @Test(
        "an unknown name, a key that is not there and a value that is not a list are errors",
        arguments: [
            ("formats: {disabled: [heif]}", #"Did you mean "heic"?"#), ("formats: {disabled: [h265]}", "h264"),
            ("formats: {disabled: [jxl]}", "Write some of: jpeg, png"), ("formats: {disable: [png]}", "disabled"),
            ("formats: {disabled: png}", "a list"), ("formats: [png]", "not a table"),
        ],
    )
    func invalid(text: String, advice: String) throws {
        let error = try #require(throws: SettingsError.self) { try names(file: text) }
        #expect(error.description.contains("formats") && error.description.contains(advice), "\(error)")
    }
}
