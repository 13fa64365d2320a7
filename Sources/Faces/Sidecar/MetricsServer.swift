import Events
import Hummingbird
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
        let router = Router(context: ClientContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerCount(instrument: instrument))
        router.add(middleware: Problems())
        health.add(to: router, withMetrics: true)
        router.addOtherMethods()
        let listener = HTTPListener(
            address: address,
            clients: clients,
            connectionLimit: Self.connectionLimit,
            logger: logger,
        )
        try await listener.serve(router) { [instrument] in instrument.record(.metricsListening(port: $0)) }
    }
}
