import Machine
import Media
import Timing
import Values

/// The source of the target's resident memory, if it can be measured.
package enum ResidentMemory: Sendable {
    /// A process on this machine.
    case process(Int32)
    /// The metric `process_resident_memory_bytes` of the target.
    case metrics(HTTPConnections)

    private static let patience = Duration.seconds(2)

    package var bytes: Int? {
        get async {
            switch self {
            case .process(let identifier):
                return ProcessMemory.bytes(of: identifier)
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

    /// The time between two measurements. Reading a file costs nothing, but metrics cost the target some work.
    private var interval: Duration {
        if case .process = self { return .milliseconds(100) }
        return .seconds(1)
    }

    /// Measures the memory at intervals, until the task is cancelled.
    func watch(_ record: StepRecord, time: any TimeSource) async {
        while !Task.isCancelled {
            if let bytes = await bytes { record.noteResident(bytes) }
            do { try await time.sleep(for: interval) } catch { return }
        }
    }
}
