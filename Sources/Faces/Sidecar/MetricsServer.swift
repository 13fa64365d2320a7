import Events
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle
import Values

/// A second HTTP server with metrics and health checks only, for an address that clients of the first one do not reach.
/// It needs no token: all programs that reach its address may read.
package struct MetricsServer: Service, CustomStringConvertible {
    package let description = "metrics server"
    let address: HostAndPort
    let health: HealthRoutes
    let clients: ClientLimits
    let logger: Logger
    let instrument: any Instrument<SidecarEvent>

    /// The most connections. Few programs read metrics.
    private static let connectionLimit = 64

    package func run() async throws {
        let router = Router(context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerCount(instrument: instrument))
        router.add(middleware: Problems())
        health.add(to: router, withMetrics: true)
        router.addOtherMethods()
        let table = ConnectionTable(
            limit: Self.connectionLimit,
            reserve: clients.reserve,
            slowPerAddress: clients.slowPerAddress,
        )
        let application = Application(
            router: router,
            server: HTTPServerBuilder { SidecarChannel(responder: $0, limits: clients, table: table) },
            configuration: .init(
                address: .hostname(address.host, port: address.port),
                serverName: "attachd",
                availableConnectionsDelegate: .maximum(table.listenerLimit, logger: logger),
            ),
            onServerRunning: { channel in
                instrument.record(.metricsListening(port: channel.localAddress?.port ?? 0))
            },
            logger: logger,
        )
        try await ListenError.located(at: address) { try await application.run() }
    }
}
