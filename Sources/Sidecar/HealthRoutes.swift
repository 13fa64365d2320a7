import HTTPTypes
import Hummingbird

/// `/livez`, `/readyz` and `/metrics`.
struct HealthRoutes: Sendable {
    let admission: Admission
    /// Does a real piece of work, and throws when it can't be done.
    let checkReadiness: @Sendable () async throws -> Void
    /// What is wrong and doesn't keep the worker from working.
    let remarks: @Sendable () -> [String]
    let metrics: @Sendable () async -> String

    /// The process answers.
    func live() -> Response { text("ok\n") }

    /// A tiny image passes through a real decoder, and the store can be written to.
    func ready() async throws -> Response {
        guard !admission.isDraining else { throw Problem(.serviceUnavailable, "This worker is shutting down.") }
        do {
            try await checkReadiness()
        } catch {
            throw Problem(.serviceUnavailable, "Not ready: \(error)")
        }
        return text((["ready"] + remarks()).map { "\($0)\n" }.joined())
    }

    func exposition() async -> Response {
        text(await metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private func text(_ content: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: content)))
    }
}
