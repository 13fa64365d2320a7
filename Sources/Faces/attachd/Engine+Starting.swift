import App
import Base
import Foundation
import Jobs
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
    /// Starts the engine, or ends the command with an error message. Opening its store may wait for the disk.
    static func start(_ settings: Settings, readsLocalFiles: Bool, traces: TraceSettings? = nil) async throws -> Engine
    {
        do {
            return try await waitingForDisk {
                try Engine(settings, readsLocalFiles: readsLocalFiles, traces: traces, logger: Logger(label: "attachd"))
            }
        } catch let error as EngineError {
            let status: ExitStatus =
                error.isMisconfigured ? .badConfiguration : error.isStore ? .cannotWrite : .failure
            throw CommandError(status, error.description)
        }
    }

    /// Ends the command if the settings require a complete sandbox and the host does not provide it.
    func insistOnSandbox(_ settings: Settings) async throws {
        guard settings.requiresSandbox else { return }
        do throws(EngineError) {
            try await checkSandbox()
        } catch {
            await shutDown()
            throw CommandError(.failure, error.description)
        }
    }
}

// MARK: - The queue

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
        let queue: OpenQueue
        do {
            queue = try await OpenQueue.opened(settings, isWorker: true)
        } catch {
            await engine.shutDown()
            throw error
        }
        let services: SidecarServices
        do {
            services = try SidecarServices(settings, engine, queue, logger: logger)
        } catch {
            await queue.shutDown()
            await engine.shutDown()
            throw CommandError(.failure, error.description)
        }
        do {
            try await services.run(takesRequests: takesRequests)
        } catch let error as EngineError {
            throw CommandError(.failure, error.description)
        } catch let error as JobQueueError {
            throw CommandError(error)
        }
    }
}
