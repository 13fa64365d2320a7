import App
import ArgumentParser
import Settings
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the sidecar until SIGTERM: the HTTP server and a worker of its queue.",
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var queue: QueueOptions
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            let settings = try common.settingsWithoutWarnings(server.options, queue.options, preview.options)
            try await SidecarServices.start(settings, takesRequests: true)
        }
    }
}
