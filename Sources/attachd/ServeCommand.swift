import App
import ArgumentParser
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the sidecar: POST /v1/rewrite and /v1/notifications, until SIGTERM.",
    )

    @Option(help: "HOST:PORT; port 0 takes a free one. (default: 127.0.0.1:8080)")
    var listen: String?
    @Option(help: "Ask clients for the token in this file: \"Authorization: Bearer …\".")
    var apiToken: String?
    @Option(help: "How many notifications are worked on at once; more are answered with 429. (default: 256)")
    var requests: Int?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            var options: [SettingsKey: SettingsSource.Option] = [:]
            options[.listen] = listen.map { .text($0) }
            options[.apiTokenFile] = apiToken.map { .text($0) }
            options[.requests] = requests.map { .number($0) }
            let settings = try await common.settings(options)
            settings.startLogging()
            let engine = try Engine.start(settings, readsLocalFiles: false)
            try await engine.insistOnSandbox(settings)
            try await SidecarServices(settings, engine, logger: Logger(label: "attachd")).run()
        }
    }
}
