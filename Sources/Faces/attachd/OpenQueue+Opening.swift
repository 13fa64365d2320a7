import App
import Settings
import Jobs
import Logging

extension OpenQueue {
    /// Opens the queue, or ends the command with an error message.
    static func opened(_ settings: Settings, isWorker: Bool = false) async throws -> OpenQueue {
        do {
            return try await open(settings, isWorker: isWorker, logger: Logger(label: "attachd"))
        } catch let error as JobQueueError {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    init(_ error: JobQueueError) {
        let status: ExitStatus =
            switch error.reason {
            case .badJob: .badInput
            case .misconfigured: .badConfiguration
            case .noSpace, .untrusted: .cannotWrite
            case .inUse, .unavailable, .broken: .failure
            }
        self.init(status, error.description)
    }
}
