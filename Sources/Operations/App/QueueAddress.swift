package import JobsRedis

/// Which queue is meant: `sqlite:PATH`, or a Redis.
package enum QueueAddress: Sendable, Equatable {
    case sqlite(path: String)
    case redis(RedisSettings)

    /// For people: without user and password.
    package var withoutSecrets: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .redis(let settings): "\(settings.usesTLS ? "rediss" : "redis")://\(settings.host):\(settings.port)"
        }
    }

    /// What to write instead is in the error.
    init(_ text: String, authoritiesFile: String?) throws(SettingsError) {
        let scheme = text.prefix { $0 != ":" }
        switch scheme {
        case "sqlite" where text.count > "sqlite:".count:
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        case "redis", "rediss":
            do {
                var settings = try RedisSettings(url: text)
                settings.authoritiesFile = authoritiesFile
                self = .redis(settings)
            } catch {
                throw SettingsError(key: SettingsKey.queue.rawValue, reason: "\(error)")
            }
        default:
            let reason = "Write it as sqlite:PATH, redis://HOST:PORT or rediss://HOST:PORT."
            throw SettingsError(key: SettingsKey.queue.rawValue, reason: reason)
        }
    }
}
