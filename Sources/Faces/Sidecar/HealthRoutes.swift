import HTTPTypes
import Hummingbird
import Media

/// `/livez`, `/readyz` and `/metrics`.
struct HealthRoutes: Sendable {
    let admission: Admission
    /// Does a real piece of work, once for all who ask within a second; an error says why it can't be done.
    let readiness: SharedAnswer<(any Error)?>
    /// What is wrong and doesn't keep the worker from working.
    let remarks: @Sendable () async -> [String]
    let metrics: @Sendable () async -> String

    /// Whether a path is one of those that are answered while no more connections are taken.
    static func isCheck(_ path: Substring) -> Bool { path == "/livez" || path == "/readyz" }

    /// The process answers.
    func live() -> Response { text("ok\n") }

    /// A tiny image passes through a real decoder, and the store can be written to.
    func ready() async throws -> Response {
        guard !admission.isDraining else { throw Problem(.serviceUnavailable, "This worker is shutting down.") }
        if let error = await readiness.value() { throw Problem(.serviceUnavailable, "Not ready: \(error)") }
        return text((["ready"] + (await remarks())).map { "\($0)\n" }.joined())
    }

    func exposition() async -> Response {
        text(await metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private func text(_ content: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: content)))
    }
}
