import Foundation
import Support
import Testing

@testable import Settings

@Suite("The table of settings")
struct SettingsTableTests {
    @Test("no two settings share a key, a variable, or an option")
    func distinct() {
        let all = Settings.all
        #expect(all.count > 30)
        #expect(Set(all.map(\.key)).count == all.count)
        #expect(Set(all.map(\.variable)).count == all.count)
        #expect(Set(all.map(\.option)).count == all.count)
        #expect(all.allSatisfy { $0.option.hasPrefix("--") && !$0.help.isEmpty })
        #expect(Settings.table.publicURL.declaration.variable == "ATTACHD_PUBLIC_URL")
        #expect(Settings.table.disabledFormats.declaration.variable == "ATTACHD_FORMATS_DISABLED")
    }

    @Test("the page of reference has a row with the option, the variable and the key", arguments: Settings.all)
    func documented(setting: SettingDeclaration) throws {
        let page = SharedMedia.packageRoot.appending(path: "docs/configuration.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .map { $0.split { " |`=:".contains($0) }.map(String.init) }
            .filter { $0.first == setting.option }
        #expect(rows.count { $0.contains(setting.variable) && $0.contains(setting.key) } == 1)
    }

    @Test("a part of attachd reads each setting, and each value that settings are made into")
    func used() throws {
        let folder = SharedMedia.packageRoot.appending(path: "Sources")
        let sources = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { (path: $0.path, text: try String(contentsOf: $0, encoding: .utf8)) }
        let module = sources.filter { $0.path.contains("/Operations/Settings/") }.map(\.text)
        let others = sources.map(\.text).filter { $0.contains("import Settings\n") }
        #expect(!module.isEmpty && !others.isEmpty)

        /// Returns whether code in one of the files reads the property of settings, or of the reader that they are made by.
        func isRead(_ name: String, in files: [String]) throws -> Bool {
            let property = try Regex("\\b(settings(\\(.*\\))?|reader)\\.\(name)\\b").wordBoundaryKind(.simple)
            let ownProperty = try Regex("\\bself\\.\(name)\\b").wordBoundaryKind(.simple)
            return files.contains { text in
                guard text.contains(".\(name)") else { return false }
                let isOwn = text.contains(/(?m)^extension Settings(Reader)? \{$/)
                return text.contains(property) || isOwn && text.contains(ownProperty)
            }
        }
        for (name, setting) in SettingsTable.all(in: Settings.table) {
            let isUsed = try isRead(name, in: module + others)
            #expect(isUsed, "Nothing reads \(setting.declaration.key): write settings.\(name) where it counts.")
        }
        let settings = try Settings(reading: SettingsSource(environment: [:]))
        for name in Mirror(reflecting: settings).children.compactMap(\.label) where name != "values" {
            #expect(try isRead(name, in: others), "Nothing outside Settings reads \(name).")
        }
    }
}
