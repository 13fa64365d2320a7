import Foundation
import Glibc
import Media
import Timing
import Values

/// What the target has resident, where that can be seen.
package enum ResidentMemory: Sendable {
    /// Of a process on this machine.
    case process(Int32)
    /// By `process_resident_memory_bytes` of its metrics.
    case metrics(HTTPConnections)

    private static let patience = Duration.seconds(2)

    package var bytes: Int? {
        get async {
            switch self {
            case .process(let identifier):
                let pages = (try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8))?.split(
                    separator: " "
                )
                return pages.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
            case .metrics(let connections):
                let end = SystemTime().now + Self.patience
                guard let reply = try? await connections.send(HTTPMessage(path: "/metrics"), until: end) else {
                    return nil
                }
                let name = "process_resident_memory_bytes "
                return String(decoding: reply.body, as: UTF8.self).split(separator: "\n")
                    .first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) }.map { Int(clamping: $0) }
            }
        }
    }

    /// How often it is looked at: reading a file costs nothing, metrics cost the target something.
    private var interval: Duration {
        if case .process = self { return .milliseconds(100) }
        return .seconds(1)
    }

    /// Notes it again and again until the task is cancelled.
    func watch(_ record: StepRecord, time: any TimeSource) async {
        while !Task.isCancelled {
            if let bytes = await bytes { record.noteResident(bytes) }
            do { try await time.sleep(until: time.now + interval) } catch { return }
        }
    }
}
