import Doctor
import Jobs
import JobsRedis
import Settings

extension Diagnosis.QueueReport {
    /// Connects to the queue's server and describes it. Returns `nil` for a queue in a file, which another process may
    /// have open.
    init?(of settings: Settings) async {
        guard case .redis(let redis) = settings.queue else { return nil }
        let address = redis.withoutSecrets
        do {
            let queue = try RedisJobQueue(
                redis,
                limits: QueueLimits(backlog: settings.backlog),
                isStrict: settings.isStrict,
                isGuest: true,
            )
            let description = try await queue.serverDescription()
            let warnings = try await queue.serverWarnings()
            try? await queue.leave()
            self.init(address: address, isUsable: true, details: [description] + warnings)
        } catch {
            self.init(address: address, isUsable: false, details: ["\(error)"])
        }
    }
}
