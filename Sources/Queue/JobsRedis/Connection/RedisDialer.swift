import Jobs
import Media
import NIOCore
import NIOPosix
import NIOSSL
import Timing
import Values

/// A factory of connections to the server, with TLS if configured.
struct RedisDialer: Sendable {
    private let settings: RedisSettings
    private let time: any TimeSource
    private let security: NIOSSLContext?

    init(_ settings: RedisSettings, time: any TimeSource) throws(JobQueueError) {
        self.settings = settings
        self.time = time
        security = settings.usesTLS ? try Self.security(settings) : nil
    }

    /// Opens a connection that takes exchanges. It is not logged in yet.
    func dial() async throws(RedisError) -> any Channel {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .connectTimeout(TimeAmount(settings.connectLimit))
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let security { try pipeline.addHandler(Self.handler(security, host: settings.host)) }
                    try pipeline.addHandler(ReplyHandler(time: time))
                }
            }
        do {
            return try await bootstrap.connect(host: settings.host, port: settings.port).get()
        } catch {
            throw .unreachable(Self.reason(of: error))
        }
    }

    /// Returns the reason of a connection that failed: of several addresses of one host, that of the first.
    private static func reason(of error: any Error) -> String {
        let cause = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
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
