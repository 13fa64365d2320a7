import Jobs
import Media
import Names
import NIOCore
import NIOPosix
import NIOSSL
import Timing
import Values

/// A factory of connections to servers and sentinels, with TLS if configured.
struct RedisDialer: Sendable {
    private let time: any TimeSource
    private let names: Names.Resolver
    private let security: NIOSSLContext?

    init(
        _ settings: RedisSettings,
        time: any TimeSource,
        names: Names.Resolver = .ofThisProcess,
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

    /// Returns the addresses of a host, none if they cannot be found in time.
    func addresses(of host: String, within limit: Duration) async -> [String] {
        // The limit is one of the machine's clock, as that of `channel`.
        let found = try? await names.addresses(of: host, for: host, until: SystemTime().now + limit)
        return (found ?? []).map(\.description)
    }

    /// The options by which an idle connection notices within 20 seconds that its server is gone: TCP_KEEPIDLE,
    /// TCP_KEEPINTVL and TCP_KEEPCNT of tcp(7).
    private static let keepalive: [(option: NIOBSDSocket.Option, value: ChannelOptions.Types.SocketOption.Value)] = [
        (.init(rawValue: 4), 8), (.init(rawValue: 5), 4), (.init(rawValue: 6), 3),
    ]

    /// Returns the reason of a connection that failed: of several addresses of one host, that of the first.
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
