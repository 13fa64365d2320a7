import Base
import HTTPTypes
import Hummingbird
import Logging
import Media
import ServiceLifecycle

/// The routes `/livez`, `/readyz` and `/metrics`.
struct HealthRoutes: Sendable {
    let version: String
    let commit: String?
    let admission: Admission
    /// The heartbeats of the parts that everything needs.
    let heartbeats: LoopHeartbeats
    /// The readiness check. It does real work, once for all requests within a second, and returns the error if the work
    /// fails.
    let readiness: @Sendable () async -> (any Error)?
    /// Returns problems that do not keep the worker from working.
    let remarks: @Sendable () async -> [String]
    let metrics: @Sendable () async -> String

    /// Returns whether a path is a health check, which is answered even when all connections are in use.
    static func isCheck(_ path: Substring) -> Bool { path == "/livez" || path == "/readyz" }

    func add(to router: Router<some RequestContext>, withMetrics: Bool) {
        router.get("livez") { _, _ in try live() }
        router.get("readyz") { _, _ in try await ready() }
        guard withMetrics else { return }
        router.get("metrics") { _, _ in text(await metrics(), type: "text/plain; version=0.0.4; charset=utf-8") }
    }

    /// The time for which such a part may stand before only a restart helps.
    static let longestStandstill: Duration = .seconds(30)

    /// Reports that the process answers, and that no part that everything needs has stood for long.
    func live() throws -> Response {
        let standing = heartbeats.namesToRestart(after: Self.longestStandstill)
        guard standing.isEmpty else {
            let seconds = Self.longestStandstill.milliseconds / 1000
            let names = standing.joined(separator: ", ")
            throw Problem(.serviceUnavailable, "Stood for \(seconds) s or more: \(names). Restart this process.")
        }
        var response = text("ok\n")
        response.headers[.version] = version
        response.headers[.commit] = commit
        return response
    }

    /// Reports whether a real decoder can process a tiny image and the store is writable.
    func ready() async throws -> Response {
        guard !admission.isDraining else { throw Problem(.serviceUnavailable, "This worker is shutting down.") }
        if let error = await readiness() { throw Problem(.serviceUnavailable, "Not ready: \(error)") }
        return text((["ready"] + (await remarks())).map { "\($0)\n" }.joined())
    }

    private func text(_ content: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: content)))
    }
}

extension HTTPField.Name {
    fileprivate static let version = named("Attachd-Version")
    fileprivate static let commit = named("Attachd-Commit")
}

// MARK: - A server of its own

/// A second HTTP server with metrics and health checks only, for an address that clients of the first one do not reach.
/// It needs no token: all programs that reach its address may read.
package struct MetricsServer: Service, CustomStringConvertible {
    package let description = "metrics server"
    let address: HostAndPort
    let health: HealthRoutes
    let clients: ClientLimits
    let logger: Logger
    let recorder: any EventRecorder<SidecarEvent>

    /// The most connections. Few programs read metrics.
    private static let connectionLimit = 64

    package func run() async throws {
        let router = Router(context: ClientContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerCount(recorder: recorder))
        router.add(middleware: Problems())
        health.add(to: router, withMetrics: true)
        router.addOtherMethods()
        let listener = HTTPListener(
            address: address,
            clients: clients,
            connectionLimit: Self.connectionLimit,
            logger: logger,
        )
        try await listener.serve(router) { [recorder] in recorder.record(.metricsListening(port: $0)) }
    }
}
