import Downloads
import Media
package import Settings
import Timing

/// The question to a running attachd whether it is ready.
package enum HealthCheck {
    /// The time limit of the question. A container runtime that asks every few seconds should not wait longer.
    private static let patience: Duration = .seconds(4)

    /// Asks the attachd that listens on `address`. Returns the reason why it is not ready, or `nil` if it is.
    package static func problem(at address: HostAndPort) async throws -> String? {
        // `0.0.0.0` means every address of this machine, so also the loopback address.
        let host = ["0.0.0.0", "::"].contains(address.host) ? "127.0.0.1" : address.host
        var settings = DownloadSettings()
        settings.addresses = .everywhere
        let downloader = try Downloader(settings: settings)
        defer { downloader.stop() }
        let url = "http://\(host.contains(":") ? "[\(host)]" : host):\(address.port)/readyz"
        do throws(AttachmentFailure) {
            let message = OutgoingMessage(.get, headers: [:])
            let answer = try await downloader.send(message, to: url, until: SystemTime().now + patience)
            return answer.status == 200 ? nil : "\(url) answered \(answer.status). See its log."
        } catch {
            return "\(url) does not answer. \(error.message)"
        }
    }
}
