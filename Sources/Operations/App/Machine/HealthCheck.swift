import HTTPClient
import Media
import Timing
package import Values

/// The question to a running attachd whether it is ready.
package enum HealthCheck {
    /// The time limit of the question. A container runtime that asks every few seconds should not wait longer.
    private static let patience: Duration = .seconds(4)

    /// Asks the attachd that listens on `address`. Returns the reason why it is not ready, or `nil` if it is.
    package static func problem(at address: HostAndPort) async -> String? {
        // These mean every address of this machine, so also its loopback address.
        let loopback = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        let asked = HostAndPort(host: loopback[address.host] ?? address.host, port: address.port)
        var settings = HTTPSettings()
        settings.addresses = .everywhere
        let client = HTTPClient(settings: settings)
        defer { client.stop() }
        let url = "http://\(asked)/readyz"
        do throws(AttachmentFailure) {
            let message = OutgoingMessage(.get, headers: [:])
            let answer = try await client.send(message, to: url, until: SystemTime().now + patience)
            return answer.status == 200 ? nil : "\(url) answered \(answer.status). See its log."
        } catch {
            return "\(url) does not answer. \(error.message)"
        }
    }
}
