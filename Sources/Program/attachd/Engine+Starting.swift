import App
import Base
import Batch
import FoundationEssentials
import Jobs
import LoadTest
import Logging
import Observability
import Settings

/// Does work of a command that may wait for the disk, outside Swift's pool.
func waitingForDisk<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result = await WorkThreads("command", limit: 1).perform(evenIfCancelled: true) { Result { try work() } }
    guard let result else { throw CommandError(.failure, "The process may have no threads (ulimit -u).") }
    return try result.get()
}

extension Engine {
    /// Starts the engine. Opening its store may wait for the disk.
    static func start(_ settings: Settings, readsLocalFiles: Bool, traces: TraceSettings? = nil) async throws -> Engine
    {
        try await waitingForDisk {
            try Engine(settings, readsLocalFiles: readsLocalFiles, traces: traces, logger: Logger(label: "attachd"))
        }
    }

    /// Ends the command if the settings require a complete sandbox and the host does not provide it.
    func insistOnSandbox(_ settings: Settings) async throws {
        guard settings.requiresSandbox else { return }
        try await undoing({ await shutDown() }) { try await checkSandbox() }
    }
}

/// Does `work`. If it fails, does `undo` before the error is thrown.
func undoing<Value>(_ undo: () async -> Void, ifFails work: () async throws -> Value) async throws -> Value {
    do {
        return try await work()
    } catch {
        await undo()
        throw error
    }
}

// MARK: - Errors

extension CommandError {
    /// Creates the error of a command from the error of a part of attachd. Returns `nil` for any other error, which
    /// ArgumentParser reports.
    init?(of error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as EngineError:
            let status: ExitStatus =
                error.isMisconfigured ? .badConfiguration : error.isStore ? .cannotWrite : .failure
            self.init(status, error.description)
        case let error as JobQueueError:
            let status: ExitStatus =
                switch error.reason {
                case .badJob: .badInput
                case .misconfigured: .badConfiguration
                case .noSpace, .untrusted: .cannotWrite
                case .inUse, .unavailable, .broken: .failure
                }
            self.init(status, error.description)
        case let error as BatchError:
            self.init(error.cause == .inputNotFound ? .inputNotFound : .cannotWrite, "\(error)")
        case let error as LoadTestError:
            self.init(error.kind == .usage ? .usage : .failure, error.description)
        default: return nil
        }
    }
}

// MARK: - The services

extension SidecarServices {
    /// Starts all services and runs until the process is told to stop.
    static func start(_ settings: Settings, takesRequests: Bool) async throws {
        settings.startLogging()
        ProcessSecrecy.begin()
        let logger = Logger(label: "attachd")
        for variable in settings.unknownVariables { logger.warning("\(variable)") }
        if let warning = settings.linkWarning { logger.warning("\(warning)") }
        let traces: TraceSettings?
        do throws(TraceSettingsError) {
            traces = try TraceSettings.read(ProcessInfo.processInfo.environment)
        } catch {
            throw CommandError(.badConfiguration, "Configuration: \(error)")
        }
        let engine = try await Engine.start(settings, readsLocalFiles: false, traces: traces)
        try await engine.insistOnSandbox(settings)
        let queue = try await undoing({ await engine.shutDown() }) {
            try await settings.openQueue(isWorker: true)
        }
        let services = try await undoing({
            await queue.shutDown()
            await engine.shutDown()
        }) {
            try SidecarServices(settings, engine, queue, logger: logger)
        }
        try await services.run(takesRequests: takesRequests)
    }
}
