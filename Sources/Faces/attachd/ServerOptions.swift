import App
import ArgumentParser
import Logging

/// The options of the commands that listen.
struct ServerOptions: ParsableArguments {
    @Option(help: "HOST:PORT; port 0 takes a free one. (default: 127.0.0.1:8080)")
    var listen: String?
    @Option(help: "Ask clients for the token in this file: \"Authorization: Bearer …\".")
    var apiToken: String?
    @Option(help: "How many notifications are worked on at once; more are answered with 429. (default: 256)")
    var requests: Int?

    /// As options for `CommonOptions.settings`.
    var options: [SettingsKey: SettingsSource.Option] {
        var options: [SettingsKey: SettingsSource.Option] = [:]
        options[.listen] = listen.map { .text($0) }
        options[.apiTokenFile] = apiToken.map { .text($0) }
        options[.requests] = requests.map { .number($0) }
        return options
    }
}

extension SidecarServices {
    /// Starts all parts, and runs until the process is told to stop.
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
