import App
import ArgumentParser
import Settings

struct WorkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Processes the jobs of a queue until SIGTERM. Over HTTP it serves only health and metrics.",
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var queue: QueueOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            let settings = try common.settingsWithoutWarnings(server.options, queue.options)
            try await SidecarServices.start(settings, takesRequests: false)
        }
    }
}
