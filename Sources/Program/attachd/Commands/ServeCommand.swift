import App
import ArgumentParser
import Base
import FoundationEssentials
import Logging
import Settings

struct ServeCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the sidecar until SIGTERM: the HTTP server and a worker of its queue.",
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var queue: QueueOptions
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var common: CommonOptions

    func perform() async throws {
        let settings = try common.settingsWithoutWarnings(server.options, queue.options, preview.options)
        try await SidecarServices.start(settings, takesRequests: true)
    }
}

// MARK: - Work

struct WorkCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Processes the jobs of a queue until SIGTERM. Over HTTP it serves only health and metrics.",
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var queue: QueueOptions
    @OptionGroup var common: CommonOptions

    func perform() async throws {
        let settings = try common.settingsWithoutWarnings(server.options, queue.options)
        try await SidecarServices.start(settings, takesRequests: false)
    }
}

// MARK: - Health

struct HealthCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Asks a running attachd whether it is ready, for the health checks of containers.",
        discussion: """
            Exit status: 0 if /readyz answers 200 within 4 seconds; otherwise 1, with the reason on standard error.
            """,
    )

    @Option(help: "The HOST:PORT of that attachd. (default: ATTACHD_LISTEN, or 127.0.0.1:8080)")
    var listen: String?

    func perform() async throws {
        let variable = ProcessInfo.processInfo.environment["ATTACHD_LISTEN"] ?? ""
        let text = listen ?? (variable.isEmpty ? "127.0.0.1:8080" : variable)
        guard let address = HostAndPort(text) else {
            throw CommandError(.badConfiguration, "\"\(text)\" is not HOST:PORT. Write it as 127.0.0.1:8080.")
        }
        if let problem = await HealthCheck.problem(at: address) {
            throw CommandError(.failure, problem)
        }
    }
}
