import App
import ArgumentParser
import Base
import FoundationEssentials
import Payloads
import Settings

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Checks a configuration file, or shows the settings and their origins.",
        subcommands: [Check.self, Show.self],
    )

    struct Check: ReportedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks only a configuration file: its keys, its values, and the files that it names.",
            discussion: """
                Options and the variables of settings are ignored: a file that needs them, such as one that listens on \
                all addresses and gets its token from a variable, is not valid by itself. The credentials of AWS are \
                taken from their variables. The status is 78 for a file that is not valid. A variable that begins with \
                ATTACHD_ and belongs to no setting gets a warning.
                """,
        )

        @Argument(help: "The YAML or JSON file.", completion: .file()) var file: String

        func perform() async throws {
            // Variables that the file names count, and those of credentials. Settings in variables are not the file's.
            let ofSettings = Set(UnknownVariable.known)
            let variables = ProcessInfo.processInfo.environment.filter { !ofSettings.contains($0.key) }
            do throws(SettingsError) {
                let source = SettingsSource(environment: variables, configurationFile: file)
                UnknownVariable.warn(of: try Settings(reading: source).unknownVariables)
            } catch {
                throw CommandError(.badConfiguration, "\(error)")
            }
            print("\(file) is valid.")
        }
    }

    struct Show: ReportedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows all settings as a command would use them, with their values and origins.",
            discussion: """
                Accepts the options of all commands, so that you can try a command line. An option overrides an \
                environment variable, which overrides the configuration file. The command hides passwords, and prints \
                only the names of files with keys and tokens.
                """,
        )

        @Flag(help: "Print a JSON object instead of columns.") var json = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var queue: QueueOptions
        @OptionGroup var preview: PreviewOptions
        @OptionGroup var common: CommonOptions

        func perform() async throws {
            let rows = try common.settings(server.options, queue.options, preview.options).listing
            print(json ? Self.json(rows).compactText : Self.text(rows))
        }

        /// Returns the settings as text in columns.
        private static func text(_ rows: [SettingRow]) -> String {
            TextColumns.text(
                [["KEY", "VALUE", "FROM"]] + rows.map { [$0.key, $0.value.onOneLine(limit: 200), $0.origin] }
            )
        }

        /// Returns the settings as a JSON object, for other programs.
        private static func json(_ rows: [SettingRow]) -> JSONValue {
            .object(rows.map { .init($0.key, ["value": .string($0.value), "from": .string($0.origin)]) })
        }
    }
}

// MARK: - The host

struct DoctorCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the parts of this installation. Fails if a required part is missing.",
        discussion: """
            Accepts the options of all commands, so that you can try a command line. The command adds nothing to the \
            queue, and does not listen.
            """,
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var queue: QueueOptions
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var common: CommonOptions

    func perform() async throws {
        let settings = try common.settingsWithoutWarnings(server.options, queue.options, preview.options)
        settings.startLogging()
        let engine = try await Engine.start(settings, readsLocalFiles: false)
        let diagnosis = await engine.diagnosis(settings)
        await engine.shutDown()
        print(diagnosis.text)
        guard diagnosis.isHealthy else { throw CommandError(.failure, "A required part is missing; see above.") }
    }
}
