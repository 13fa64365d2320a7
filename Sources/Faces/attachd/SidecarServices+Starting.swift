import App
import Foundation
import Jobs
import Logging
import Machine
import Settings
import Traces

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
        let engine = try Engine.start(settings, readsLocalFiles: false, traces: traces)
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
