package import Base
package import Jobs

extension RedisSettings: QueueAddress {
    package static let forms = ["redis://HOST:PORT", "rediss://HOST:PORT", "redis-sentinel://HOST:PORT,HOST:PORT/NAME"]

    package static var beginnings: [String] { schemes.map { "\($0)://" } }

    package init(_ text: String, authoritiesFile: String?) throws(JobQueueError) {
        try self.init(url: text)
        self.authoritiesFile = authoritiesFile
    }

    package var isShared: Bool { true }

    package func open(
        _ limits: QueueLimits,
        isStrict: Bool,
        isGuest: Bool,
        recorder: any EventRecorder<QueueEvent>,
    ) async throws -> any JobQueue {
        try RedisJobQueue(self, limits: limits, isStrict: isStrict, isGuest: isGuest, recorder: recorder)
    }

    package func listing() -> (any QueueListing)? { nil }

    package func describe(
        isStrict: Bool,
        check: @Sendable (any FleetStore) async throws -> [QueueWarning],
    ) async throws -> [String] {
        let queue = try RedisJobQueue(self, isStrict: isStrict, isGuest: true)
        let details =
            [try await queue.serverDescription()] + (try await queue.serverWarnings())
            + (try await check(queue).map(\.description))
        try? await queue.leave()
        return details
    }
}
