package import Base
import Foundation
import HTTPClient
import Logging
import Media
import NIOCore
import NIOPosix
import Synchronization

/// A supervisor that asks the essential loops for a sign of life, and logs those that have stalled.
final class LoopSupervisor: Sendable {
    private let heartbeats: LoopHeartbeats
    private let logger: Logger
    private let stalled = Mutex<Set<String>>([])
    /// The heartbeats of the threads that HTTP and Redis share.
    private let network: [LoopHeartbeat]

    init(_ heartbeats: LoopHeartbeats = .ofThisProcess, logger: Logger) {
        self.heartbeats = heartbeats
        self.logger = logger
        network = MultiThreadedEventLoopGroup.singleton.makeIterator().map { loop in
            LoopHeartbeat("network", in: heartbeats) { loop.execute($0) }
        }
    }

    /// Starts the checks, twice a second for the lifetime of this object. They run on their own thread, because all
    /// threads of Swift's pool may be blocked.
    func start() {
        Thread.detachNewThread { [weak self] in
            setThreadName("supervisor")
            while let supervisor = self {
                supervisor.look()
                Thread.sleep(forTimeInterval: 0.5)
            }
        }
    }

    private func look() {
        heartbeats.beat()
        let now = Set(heartbeats.stalledNames)
        let before = stalled.withLock { stalled in
            defer { stalled = now }
            return stalled
        }
        for name in now.subtracting(before).sorted() {
            logger.critical(
                "An internal loop has stalled. Work that needs it waits until the loop continues.",
                metadata: ["loop": "\(name)"]
            )
        }
        for name in before.subtracting(now).sorted() {
            logger.notice("A stalled loop continues.", metadata: ["loop": "\(name)"])
        }
    }
}

// MARK: - Another process

/// The question to a running attachd whether it is ready.
package enum HealthCheck {
    /// The time limit of the question. A container runtime that asks every few seconds should not wait longer.
    private static let timeLimit: Duration = .seconds(4)

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
            let answer = try await client.send(message, to: url, until: SystemTime().now + timeLimit)
            return answer.status == 200 ? nil : "\(url) answered \(answer.status). See its log."
        } catch {
            return "\(url) does not answer. \(error.message)"
        }
    }
}
