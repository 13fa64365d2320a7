import Doctor
import Foundation
import Jobs
import JobsRedis
import JobsSQLite
import Settings

extension Diagnosis.QueueReport {
    /// Looks at the queue that the settings name, and describes it. Adds nothing to it.
    init(of settings: Settings) async {
        let address = settings.queue.withoutSecrets
        do {
            let details =
                switch settings.queue {
                case .redis(let redis): try await Self.details(of: redis, settings)
                case .sqlite(let path): try await Self.details(ofFile: path)
                }
            self.init(address: address, isUsable: true, details: details)
        } catch {
            self.init(address: address, isUsable: false, details: ["\(error)"])
        }
    }

    /// Connects to a server and describes it, with the risks of its configuration.
    private static func details(of redis: RedisSettings, _ settings: Settings) async throws -> [String] {
        let queue = try RedisJobQueue(
            redis,
            limits: QueueLimits(backlog: settings.backlog),
            isStrict: settings.isStrict,
            isGuest: true,
        )
        let description = try await queue.serverDescription()
        let details = [description] + (try await queue.serverWarnings())
        try? await queue.leave()
        return details
    }

    /// Describes the queue in a file, which another process may work with.
    private static func details(ofFile path: String) async throws -> [String] {
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
