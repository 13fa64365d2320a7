import Files
package import JobsRedis

/// The address of a queue: `sqlite:PATH`, or the URL of a Redis server or of the sentinels that know it.
package enum QueueAddress: Sendable, Equatable {
    case sqlite(path: String)
    case redis(RedisSettings)

    /// The beginnings of all addresses.
    static let beginnings = ["sqlite:", "redis://", "rediss://", "redis-sentinel://", "rediss-sentinel://"]

    /// The address for logs and listings, without user and password.
    package var withoutSecrets: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .redis(let settings): settings.withoutSecrets
        }
    }

    /// Parses `text`. The error says which forms are possible.
    init(_ text: String, authoritiesFile: String?) throws(SettingsError) {
        let scheme = text.prefix { $0 != ":" }
        switch scheme {
        case "sqlite" where text.count > "sqlite:".count:
            self = .sqlite(path: AbsolutePath.of(String(text.dropFirst("sqlite:".count))))
        case "redis", "rediss", "redis-sentinel", "rediss-sentinel":
            do {
                var settings = try RedisSettings(url: text)
                settings.authoritiesFile = authoritiesFile
                self = .redis(settings)
            } catch {
                throw SettingsError(key: SettingsKey.queue.rawValue, reason: "\(error)")
            }
        default:
            let reason =
                "Write it as sqlite:PATH, redis://HOST:PORT, rediss://HOST:PORT or redis-sentinel://HOST:PORT,HOST:PORT/NAME."
            throw SettingsError(key: SettingsKey.queue.rawValue, reason: reason)
        }
    }
}
