import Base
import HTTPClient
import Jobs
import Media
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

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

// MARK: - Dialing

/// A factory of connections to servers and sentinels, with TLS if configured.
struct RedisDialer: Sendable {
    private let time: any TimeSource
    private let names: NameResolver
    private let security: NIOSSLContext?

    init(
        _ settings: RedisSettings,
        time: any TimeSource,
        names: NameResolver = .ofThisProcess,
    ) throws(JobQueueError) {
        self.time = time
        self.names = names
        security = settings.usesTLS ? try Self.security(settings) : nil
    }

    /// Opens a connection that takes exchanges. It is not logged in yet.
    func dial(_ server: HostAndPort, within limit: Duration) async throws(RedisError) -> Link {
        let channel = try await channel(to: server, within: limit) { [time] in ReplyHandler(time: time) }
        return Link(channel: channel, server: server, time: time)
    }

    /// Opens a connection whose bytes `makeHandler`'s handler reads and writes.
    func channel(
        to server: HostAndPort,
        within limit: Duration,
        _ makeHandler: @escaping @Sendable () -> any ChannelHandler,
    ) async throws(RedisError) -> any Channel {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        // The limit is one of the machine's clock, as NIO's.
        let addresses = ServerAddresses(names, until: SystemTime().now + limit, on: loop)
        var bootstrap = ClientBootstrap(group: loop)
            .resolver(addresses)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .connectTimeout(TimeAmount(limit))
            .channelInitializer { [security] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let security { try pipeline.addHandler(Self.handler(security, host: server.host)) }
                    try pipeline.addHandler(makeHandler())
                }
            }
        for (option, value) in Self.keepalive { bootstrap = bootstrap.channelOption(.tcpOption(option), value: value) }
        do {
            return try await bootstrap.connect(host: server.host, port: server.port).get()
        } catch {
            throw .unreachable(Self.reason(of: error))
        }
    }

    /// Returns the addresses of a host; empty if they cannot be found in time.
    func addresses(of host: String, within limit: Duration) async -> [String] {
        // The limit uses the machine's clock, like the limit of `channel`.
        let found = try? await names.addresses(of: host, for: host, until: SystemTime().now + limit)
        return (found ?? []).map(\.description)
    }

    /// The options by which an idle connection notices within 20 seconds that its server is gone: TCP_KEEPIDLE,
    /// TCP_KEEPINTVL and TCP_KEEPCNT of tcp(7).
    private static let keepalive: [(option: NIOBSDSocket.Option, value: ChannelOptions.Types.SocketOption.Value)] = [
        (.init(rawValue: 4), 8), (.init(rawValue: 5), 4), (.init(rawValue: 6), 3),
    ]

    /// Returns the reason why a connection failed. If a host has several addresses, it is the reason of the first.
    private static func reason(of error: any Error) -> String {
        let attempt = error as? NIOConnectionError
        let cause = attempt?.connectionErrors.first?.error ?? attempt?.dnsAAAAError ?? error
        if let cause = cause as? ResolverError { return cause.reason }
        guard let code = (cause as? IOError)?.errnoCode else { return "\(cause)" }
        return SystemError("connect", code: code).reason + "."
    }

    /// Returns the TLS handler. It checks the certificate's name against the host, which may be an IP address.
    private static func handler(_ security: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: security, serverHostname: isAddress ? nil : host)
    }

    private static func security(_ settings: RedisSettings) throws(JobQueueError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file = settings.authoritiesFile { configuration.additionalTrustRoots = [.file(file)] }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw JobQueueError(.misconfigured, "The certificates in the CA file cannot be read: \(error)")
        }
    }
}

// MARK: - Addresses

/// The addresses of one server, for NIO, which dials one after the other until one answers (RFC 8305).
///
/// NIO's own resolver blocks a thread for each name, for as long as its servers take.
final class ServerAddresses: NIOPosix.Resolver, Sendable {
    private let names: NameResolver
    private let deadline: Instant
    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private let lookup = Mutex<Task<Void, Never>?>(nil)

    init(_ names: NameResolver, until deadline: Instant, on loop: any EventLoop) {
        self.names = names
        self.deadline = deadline
        (v4, v6) = (loop.makePromise(), loop.makePromise())
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { v4.futureResult }

    /// Asks for both families, as NIO asks for IPv6 first.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        let task = Task { [names, deadline, v4, v6] in
            do {
                // The server counts as a separate site, so names of other sites do not delay it.
                let found = try await names.addresses(of: host, for: host, until: deadline)
                v6.succeed(try Self.sockets(found, .v6, port))
                v4.succeed(try Self.sockets(found, .v4, port))
            } catch {
                v6.fail(error)
                v4.fail(error)
            }
        }
        lookup.withLock { $0 = task }
        return v6.futureResult
    }

    func cancelQueries() { lookup.withLock { $0 }?.cancel() }

    private static func sockets(
        _ addresses: [IPAddress],
        _ family: IPAddress.Family,
        _ port: Int,
    ) throws -> [SocketAddress] {
        try addresses.filter { $0.family == family }.map {
            try SocketAddress(ipAddress: $0.description, port: port)
        }
    }
}

extension ResolverError {
    /// The reason why a server cannot be dialled.
    var reason: String {
        switch self {
        case .notFound: "Its name is not known."
        case .timedOut: "The DNS servers did not answer in time."
        case .failed: "The DNS servers failed."
        case .busy: "Too many other names are being looked up."
        case .cancelled: "attachd did not connect to it."
        }
    }
}
