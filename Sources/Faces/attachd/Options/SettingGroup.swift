import Settings

/// A group of settings, as a type for `SettingOptions`.
protocol SettingGroup {
    static var group: SettingOption.Group { get }
}

extension SettingGroup {
    /// The settings of the group, in the order of the help text.
    static var settings: [SettingsKey] { SettingsKey.allCases.filter { $0.option.group == group } }
}

enum CommonSettings: SettingGroup { static let group = SettingOption.Group.common }
enum ServerSettings: SettingGroup { static let group = SettingOption.Group.server }
enum QueueSettings: SettingGroup { static let group = SettingOption.Group.queue }
enum PreviewSettings: SettingGroup { static let group = SettingOption.Group.preview }

/// The options of the commands that listen for requests.
typealias ServerOptions = SettingOptions<ServerSettings>
/// The options of the commands that work with a queue.
typealias QueueOptions = SettingOptions<QueueSettings>
/// The options of the preview and of responses to notifications.
typealias PreviewOptions = SettingOptions<PreviewSettings>
