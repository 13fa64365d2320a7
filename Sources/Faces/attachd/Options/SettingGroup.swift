import Settings

/// A group of settings, as a type for `SettingOptions`.
protocol SettingGroup {
    static var group: SettingOption.Group { get }
    /// The help texts of settings that mean something else here, or have another default.
    static var help: [SettingsKey: String] { get }
}

extension SettingGroup {
    static var help: [SettingsKey: String] { [:] }

    /// The settings of the group, in the order of the help text.
    static var settings: [SettingsKey] { SettingsKey.allCases.filter { $0.option.group == group } }
}

enum CommonSettings: SettingGroup { static let group = SettingOption.Group.common }

/// The common settings of `attachd batch`.
enum BatchSettings: SettingGroup {
    static let group = SettingOption.Group.common
    static let help: [SettingsKey: String] = [
        .deadline: "The time limit of each file, such as 800ms or 20s. (default: 300s)"
    ]
}

/// The common settings of `attachd process`.
enum ProcessSettings: SettingGroup {
    static let group = SettingOption.Group.common
    static let help: [SettingsKey: String] = [
        .publicURL:
            "The URL of the sidecar or the bucket for phones, such as https://push.example.com. (default: none; the payload gets file: URLs)"
    ]
}

enum ServerSettings: SettingGroup { static let group = SettingOption.Group.server }
enum QueueSettings: SettingGroup { static let group = SettingOption.Group.queue }
enum PreviewSettings: SettingGroup { static let group = SettingOption.Group.preview }

/// The options of the commands that listen for requests.
typealias ServerOptions = SettingOptions<ServerSettings>
/// The options of the commands that work with a queue.
typealias QueueOptions = SettingOptions<QueueSettings>
/// The options of the preview and of responses to notifications.
typealias PreviewOptions = SettingOptions<PreviewSettings>
