import App
import ArgumentParser
import Logging

/// The options of the commands that listen for requests.
struct ServerOptions: ParsableArguments {
    @Option(help: "The HOST:PORT to listen on. Port 0 takes a free port. (default: 127.0.0.1:8080)")
    var listen: String?
    @Option(help: "Require the token in this file from clients: \"Authorization: Bearer …\".")
    var apiToken: String?
    @Option(help: "The maximum number of concurrent notifications. Further ones are answered with 429. (default: 256)")
    var requests: Int?

    /// The options for `CommonOptions.settings`.
    var options: [SettingsKey: SettingsSource.Option] {
        var options: [SettingsKey: SettingsSource.Option] = [:]
        options[.listen] = listen.map { .text($0) }
        options[.apiTokenFile] = apiToken.map { .text($0) }
        options[.requests] = requests.map { .number($0) }
        return options
    }
}

extension SidecarServices {
    /// Starts all services and runs until the process is told to stop.
    static func start(_ settings: Settings, takesRequests: Bool) async throws {
        settings.startLogging()
        let engine = try Engine.start(settings, readsLocalFiles: false)
        try await engine.insistOnSandbox(settings)
        let queue: OpenQueue
        do {
            queue = try await OpenQueue.opened(settings, mayBeAway: true)
        } catch {
            await engine.shutDown()
            throw error
        }
        let services: SidecarServices
        do {
            services = try SidecarServices(settings, engine, queue, logger: Logger(label: "attachd"))
        } catch {
            await queue.shutDown()
            await engine.shutDown()
            throw CommandError(.failure, error.description)
        }
        try await services.run(takesRequests: takesRequests)
    }
}
