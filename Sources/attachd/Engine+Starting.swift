import App
import Logging

extension Engine {
    /// Starts the parts, or ends the command with a message that says what to do.
    static func start(_ settings: Settings, readsLocalFiles: Bool) throws -> Engine {
        do throws(EngineError) {
            return try Engine(settings, readsLocalFiles: readsLocalFiles, logger: Logger(label: "attachd"))
        } catch {
            throw CommandError(error.isStore ? .cannotWrite : .failure, error.description)
        }
    }
}
