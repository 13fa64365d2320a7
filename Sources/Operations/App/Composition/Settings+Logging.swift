package import Settings
import Logging
import Telemetry

extension Settings {
    /// Sends all logs to standard error, because standard output is for results. Call this once, before anything else.
    package func startLogging() {
        let (format, level) = (logFormat, logLevel)
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch format {
                case .json: JSONLogHandler(label: label)
                case .text: TextLogHandler(label: label)
                }
            handler.logLevel = level
            return OneLineLogHandler(handler)
        }
    }
}
