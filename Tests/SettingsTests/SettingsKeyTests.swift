import Settings
import Foundation
import Support
import Testing

@Suite("The names of settings")
struct SettingsKeyTests {
    @Test("no two settings share a key, a variable, or an option")
    func distinct() {
        let all = SettingsKey.allCases
        #expect(Set(all.map(\.variable)).count == all.count)
        #expect(Set(all.map(\.option.name)).count == all.count)
        #expect(
            SettingsKey.publicURL.variable == "ATTACHD_PUBLIC_URL" && SettingsKey.caFile.variable == "ATTACHD_CA_FILE"
        )
    }

    @Test("the page of reference has a row with the option, the variable and the key", arguments: SettingsKey.allCases)
    func documented(setting: SettingsKey) throws {
        let page = SharedMedia.packageRoot.appending(path: "docs/configuration.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .map { $0.split { " |`=:".contains($0) }.map(String.init) }
            .filter { $0.first == "--\(setting.option.name)" }
        #expect(rows.count { $0.contains(setting.variable) && $0.contains(setting.rawValue) } == 1)
    }
}
