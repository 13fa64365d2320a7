import App
import ArgumentParser
import Settings
import Doctor

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the parts of this installation. Fails if a required part is missing.",
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            let settings = try common.settings()
            settings.startLogging()
            let engine = try Engine.start(settings, readsLocalFiles: false)
            let diagnosis = await engine.diagnosis(settings)
            await engine.shutDown()
            print(diagnosis.text)
            guard diagnosis.isHealthy else { throw CommandError(.failure, "A required part is missing; see above.") }
        }
    }
}
