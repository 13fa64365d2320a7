import Events
import Jobs
import Media
import Names
import Synchronization
import Timing
import Values

/// The rule for a server that only a sentinel names: without TLS, it gets the password only if the queue's URL lists it
/// (SECURITY.md, R1).
///
/// Without TLS, a sentinel's word is not authenticated. Anyone who answers in its place could name a server of their own
/// and collect the password.
final class PasswordRule: Sendable {
    private let hosts: [String]
    private let dialer: RedisDialer
    private let timeLimit: Duration
    private let instrument: any Instrument<QueueEvent>
    /// The hosts that the log has named, so that it names each of them once.
    private let logged = Mutex<Set<String>>([])
    private static let loggedLimit = 16

    /// Creates the rule. Returns `nil` if the password may go to every server that a sentinel names.
    init?(_ settings: RedisSettings, _ dialer: RedisDialer, _ instrument: any Instrument<QueueEvent>) {
        guard let group = settings.sentinels, settings.password != nil, !settings.usesTLS,
            case .hosts(let more) = group.passwordServers
        else { return nil }
        hosts = group.addresses.map { $0.host.lowercased() } + more.map { $0.lowercased() }
        self.dialer = dialer
        timeLimit = group.timeLimit
        self.instrument = instrument
    }

    /// Throws if the server must not get the password.
    func check(_ server: HostAndPort) async throws(RedisError) {
        let host = server.host.lowercased()
        guard !hosts.contains(host) else { return }
        // The URL may have names where sentinels have addresses.
        for name in hosts where await dialer.addresses(of: name, within: timeLimit).contains(host) { return }
        let reason =
            "The sentinels name \(server) as the primary, which the queue's URL does not list. Without TLS, the password "
            + "is not sent to it. Use rediss-sentinel://, or add ?servers=\(server.host) to the URL if that server is yours."
        let isNew = logged.withLock { $0.count < Self.loggedLimit && $0.insert(host).inserted }
        if isNew { instrument.record(.passwordWithheld(reason)) }
        throw .error(JobQueueError(.misconfigured, reason))
    }
}
