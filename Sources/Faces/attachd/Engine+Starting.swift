import App
import Settings
import Logging
import Traces

extension Engine {
    /// Starts the engine, or ends the command with an error message.
    static func start(_ settings: Settings, readsLocalFiles: Bool, traces: TraceSettings? = nil) throws -> Engine {
        do throws(EngineError) {
            return try Engine(
                settings,
                readsLocalFiles: readsLocalFiles,
                traces: traces,
                logger: Logger(label: "attachd"),
            )
        } catch {
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
