import HTTPClient
import Logging
import Media
import Telemetry

extension SettingsKey {
    /// The values that the setting can have, or the beginnings of its values, for the completion of command lines. Empty
    /// if there are too many to list.
    package var words: [String] {
        switch self {
        case .profile: Profile.builtIn.map(\.name)
        case .publishStyle: BucketAddress.Style.allCases.map(\.rawValue)
        case .disabledFormats: DisabledFormats.allNames
        case .logLevel: Logger.Level.allCases.map(\.rawValue)
        case .logFormat: LogFormat.allCases.map(\.rawValue)
        case .queue: QueueAddress.beginnings
        default: []
        }
    }
}
