import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Values

/// A server of HTTP at one address, with limits for its clients.
struct HTTPListener {
    let address: HostAndPort
    let clients: ClientLimits
    /// The maximum number of connections.
    let connectionLimit: Int
    let logger: Logger

    /// Serves the routes until a graceful shutdown. `onListening` receives the port.
    func serve(
        _ router: Router<ClientContext>,
        onListening: @escaping @Sendable (_ port: Int) -> Void,
    ) async throws {
        // Hummingbird says that it listens, too. The caller says it with the port as a field.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        let table = ConnectionTable(
            limit: connectionLimit,
            reserve: clients.reserve,
            slowPerAddress: clients.slowPerAddress,
        )
        let application = Application(
            router: router,
            server: HTTPServerBuilder { SidecarChannel(responder: $0, limits: clients, table: table) },
            configuration: .init(
                address: .hostname(address.host, port: address.port),
                serverName: "attachd",
                // Linux's own limit since 5.4. With a lower limit, a burst of connections costs clients a second each:
                // the kernel drops their SYN, and they repeat it only then.
                backlog: 4_096,
                availableConnectionsDelegate: .maximum(table.listenerLimit, logger: logger),
            ),
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) },
            logger: quiet,
        )
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                table.drain()
            }
        } catch let error as IOError {
            throw ListenError(address: address, code: error.errnoCode)
        }
    }
}
