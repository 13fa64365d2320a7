import JobsRedis
import JobsSQLite
package import Jobs

/// The engines that keep queues.
package enum QueueEngines {
    /// The types of their addresses. This is the only list of engines.
    static let all: [any QueueAddress.Type] = [SQLiteAddress.self, RedisSettings.self]

    /// The queue of a store, if the settings name no other.
    static func queue(inStore folder: String) -> any QueueAddress { SQLiteAddress(path: "\(folder)/queue.sqlite") }

    /// The forms of all addresses, in words.
    static var forms: String {
        let forms = all.flatMap { $0.forms }
        return "\(forms.dropLast().joined(separator: ", ")) or \(forms.last ?? "")"
    }

    static var beginnings: [String] { all.flatMap { $0.beginnings } }

    /// Parses an address. The error says what is wrong, without the address, which may have a password.
    package static func address(_ text: String, authoritiesFile: String? = nil) throws(JobQueueError)
        -> any QueueAddress
    {
        guard let engine = all.first(where: { $0.beginnings.contains { text.hasPrefix($0) } }) else {
            throw JobQueueError(.misconfigured, "Write it as \(forms).")
        }
        return try engine.init(text, authoritiesFile: authoritiesFile)
    }
}

extension SettingType<any QueueAddress> {
    static let queue = Self(words: QueueEngines.beginnings, isSecret: true) {
        text,
        setting,
        reader throws(SettingsError) in
        let authoritiesFile = try reader.caFile
        return try SettingsError.checking(setting.key) { () throws(JobQueueError) in
            try QueueEngines.address(text, authoritiesFile: authoritiesFile)
        }
    }
}
