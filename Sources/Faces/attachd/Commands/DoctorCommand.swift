import App
import ArgumentParser
import Settings
import Doctor

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the parts of this installation. Fails if a required part is missing.",
        discussion: """
            Takes the options of all commands, so that a command line can be tried. Adds nothing to the queue, and does \
            not listen.
            """,
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var queue: QueueOptions
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            let settings = try common.settingsWithoutWarnings(server.options, queue.options, preview.options)
            settings.startLogging()
            let engine = try Engine.start(settings, readsLocalFiles: false)
            let diagnosis = await engine.diagnosis(settings)
            await engine.shutDown()
            print(diagnosis.text)
            guard diagnosis.isHealthy else { throw CommandError(.failure, "A required part is missing; see above.") }
        }
    }
}
