package import Base
import Files
import FoundationEssentials
package import Jobs

/// The address of a queue in a file.
package struct SQLiteAddress: QueueAddress {
    package static let forms = ["sqlite:PATH"]
    package static let beginnings = ["sqlite:"]

    package let path: String
    package let isShared = false

    package init(path: String) { self.path = AbsolutePath.of(path) }

    package init(_ text: String, authoritiesFile: String?) throws(JobQueueError) {
        let path = text.dropFirst("sqlite:".count)
        guard !path.isEmpty else { throw JobQueueError(.misconfigured, "The queue's path is missing: sqlite:PATH.") }
        self.init(path: String(path))
    }

    package var withoutSecrets: String { "sqlite:\(path)" }

    package func open(
        _ limits: QueueLimits,
        isStrict: Bool,
        isGuest: Bool,
        recorder: any EventRecorder<QueueEvent>,
    ) async throws -> any JobQueue {
        try await SQLiteJobQueue.open(path, limits: limits, recorder: recorder)
    }

    package func listing() throws(JobQueueError) -> (any QueueListing)? { try QueueInspection(path) }

    package func describe(
        isStrict: Bool,
        check: @Sendable (any FleetStore) async throws -> [QueueWarning],
    ) async throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else {
            let folder = URL(filePath: path).deletingLastPathComponent().path
            guard FileManager.default.isWritableFile(atPath: folder) else {
                let reason = "There is no queue at \(path), and it cannot be created: "
                throw JobQueueError(.noSpace, reason + "check that \(folder) exists and allows new files.")
            }
            return ["its file is created at the first start"]
        }
        let status = try await QueueInspection(path).status()
        return ["\(status.waiting) jobs wait, \(status.running) are in progress, \(status.dead) are dead letters"]
    }
}
