import Jobs
import Media
import Timing
import Values

/// The way from the settings to a connection that is ready for commands: finding the server, logging in, checking it,
/// and preparing it for the queue.
struct LinkOpener: Sendable {
    let settings: RedisSettings
    let dialer: RedisDialer
    /// Finds the server if sentinels know it.
    let finder: PrimaryFinder?
    /// The commands that log in, sent first on every new connection.
    let greeting: Secret<[RedisCommand]>
    /// The commands that prepare the server for the queue.
    let preparation: [RedisCommand]
    /// A check of the server's description. It throws if the server is not suited to the queue.
    let check: (@Sendable (ServerInfo) throws(JobQueueError) -> Void)?
    /// A Boolean value that indicates whether acknowledgements wait for replicas.
    let confirms: Bool

    /// Creates an opener. The server lists its connections under `name` among its clients.
    init(
        _ settings: RedisSettings,
        dialer: RedisDialer,
        finder: PrimaryFinder?,
        name: String,
        preparation: [RedisCommand],
        check: (@Sendable (ServerInfo) throws(JobQueueError) -> Void)?,
        confirms: Bool,
    ) {
        self.settings = settings
        self.dialer = dialer
        self.finder = finder
        self.preparation = preparation
        self.check = check
        self.confirms = confirms
        var greeting: [RedisCommand] = []
        if let password = settings.password?.revealed {
            greeting.append(settings.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
        }
        greeting.append(RedisCommand("CLIENT", "SETNAME", name))
        if settings.database != 0 { greeting.append(RedisCommand("SELECT", "\(settings.database)")) }
        self.greeting = Secret(greeting)
    }

    /// Opens a connection. The second value is its barrier, if acknowledgements wait for replicas.
    func open() async throws -> (Link, ReplicaBarrier?) {
        let server = try await finder?.primary() ?? settings.server
        do {
            let link = try await dialer.dial(server, within: settings.connectLimit)
            do {
                _ = try await link.exchange(greeting.revealed, within: settings.connectLimit)
                let info = try await info(of: link)
                _ = try await prepare(link)
                if let history = info?.history {
                    let note = Script.noteHistory.command(settings.prefix, [Array(history.utf8)])
                    _ = try await link.exchange([note], within: settings.timeLimit)
                }
                return (link, try await barrier(of: link, info))
            } catch {
                link.close()
                throw error
            }
        } catch {
            finder?.doubt()
            throw error
        }
    }

    private func barrier(of link: Link, _ info: ServerInfo?) async throws -> ReplicaBarrier? {
        guard confirms, let info, let finder else { return nil }
        let promotable = try await finder.promotable(inPlaceOf: link.server)
        return ReplicaBarrier(link, finder, info, promotable: promotable, settings)
    }

    func prepare(_ link: Link) async throws { _ = try await link.exchange(preparation, within: settings.timeLimit) }

    private func info(of link: Link) async throws -> ServerInfo? {
        guard check != nil || confirms || finder != nil else { return nil }
        let replies = try await link.exchange([RedisCommand("INFO")], within: settings.timeLimit)
        let info = ServerInfo(replies.first?.text ?? "")
        if finder != nil, !info.isPrimary {
            throw RedisError.refusedForNow("The sentinels name \(link.server), which is not the primary.")
        }
        do throws(JobQueueError) {
            try check?(info)
        } catch {
            throw RedisError.error(error)
        }
        return info
    }
}
