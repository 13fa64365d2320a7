import Files
import FoundationEssentials
import Preview

/// The category's form in the configuration file. Paths are relative to the file's folder.
extension NotificationCategory {
    static let keys = ["actions", "options", "layout", "infoPlist", "contentExtension"]

    init(named name: String, in table: ConfigurationTable, folder: URL) throws(SettingsError) {
        guard !name.isEmpty else {
            throw SettingsError(key: table.path, reason: "The category has no name. Give the value of aps.category.")
        }
        self.init(
            identifier: name,
            actions: try table.tables("actions", keys: NotificationAction.keys)
                .map { identifier, action throws(SettingsError) in try NotificationAction(named: identifier, in: action)
                },
            options: try table.choices("options"),
            contentExtension: try Self.contentExtension(of: name, in: table, folder),
            layout: try Self.layout(in: table, folder),
        )
    }

    private static func contentExtension(
        of name: String,
        in table: ConfigurationTable,
        _ folder: URL,
    ) throws(SettingsError) -> ContentExtension? {
        let attributes = try table.table("contentExtension", keys: ContentExtension.keys)
        guard let (path, bytes) = try table.file("infoPlist", in: folder) else {
            return try attributes.map { attributes throws(SettingsError) in
                try ContentExtension(of: name, in: attributes)
            }
        }
        let key = table.path(of: "infoPlist")
        guard attributes == nil else {
            throw SettingsError(
                key: key,
                reason: "Both infoPlist and contentExtension attributes are given. Give one of them only."
            )
        }
        let contentExtension: ContentExtension
        do throws(CategoryFileError) {
            contentExtension = try ContentExtension(infoPlist: bytes)
        } catch {
            throw SettingsError(key: key, reason: "\(path): \(error)")
        }
        guard contentExtension.categories.contains(name) else {
            let claimed = contentExtension.categories.joined(separator: ", ")
            throw SettingsError(key: key, reason: "\(path) belongs to another category: \(claimed).")
        }
        return contentExtension
    }

    private static func layout(in table: ConfigurationTable, _ folder: URL) throws(SettingsError) -> LayoutTemplate? {
        guard let (path, bytes) = try table.file("layout", in: folder) else { return nil }
        do throws(CategoryFileError) {
            return try LayoutTemplate(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw SettingsError(key: table.path(of: "layout"), reason: "\(path): \(error)")
        }
    }
}

extension NotificationAction {
    fileprivate static let keys = ["title", "options", "textInput"]

    fileprivate init(named identifier: String, in table: ConfigurationTable) throws(SettingsError) {
        guard let title = try table.text("title") else {
            throw table.refusal(of: "title", "set, and every action needs one")
        }
        let input = try table.table("textInput", keys: ["buttonTitle", "placeholder"])
        self.init(
            identifier: identifier,
            title: title,
            options: try table.choices("options"),
            textInput: try input.map { input throws(SettingsError) in
                TextInput(
                    buttonTitle: try input.text("buttonTitle") ?? "Send",
                    placeholder: try input.text("placeholder") ?? ""
                )
            },
        )
    }
}

extension ContentExtension {
    fileprivate static let keys = [
        "initialContentSizeRatio", "defaultContentHidden", "userInteractionEnabled", "overridesDefaultTitle",
    ]

    fileprivate init(of category: String, in table: ConfigurationTable) throws(SettingsError) {
        self.init(
            categories: [category],
            initialContentSizeRatio: try table.fraction("initialContentSizeRatio", in: Self.sizeRatios) ?? 1,
            isDefaultContentHidden: try table.flag("defaultContentHidden") ?? false,
            isUserInteractionEnabled: try table.flag("userInteractionEnabled") ?? false,
            overridesDefaultTitle: try table.flag("overridesDefaultTitle") ?? false,
        )
    }
}

extension ConfigurationTable {
    fileprivate func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable>(
        _ key: String
    ) throws(SettingsError) -> Set<Choice> {
        let texts = try texts(key)
        let choices = texts.compactMap(Choice.init(rawValue:))
        guard choices.count == texts.count else {
            throw refusal(of: key, "a list of: \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return Set(choices)
    }

    /// Returns the file that `key` names, with its path.
    fileprivate func file(_ key: String, in folder: URL) throws(SettingsError) -> (path: String, bytes: [UInt8])? {
        guard let name = try text(key) else { return nil }
        let file = AbsolutePath.of(name, in: folder.path)
        guard let data = FileManager.default.contents(atPath: file), data.count <= 1_000_000 else {
            throw SettingsError(key: path(of: key), reason: "\(file) cannot be read or is larger than 1 MB.")
        }
        return (file, [UInt8](data))
    }
}
