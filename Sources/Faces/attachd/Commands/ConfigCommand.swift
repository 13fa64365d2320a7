import ArgumentParser
import Foundation
import Payloads
import Settings

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Checks a configuration file, and shows the settings with where they come from.",
        subcommands: [Check.self, Show.self],
    )

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a configuration file by itself: its keys, its values, and the files that it names.",
            discussion: """
                Options and the variables of settings are ignored: a file that needs them, such as one that listens on \
                all addresses and gets its token from a variable, is not valid by itself. The credentials of AWS are \
                taken from their variables. The status is 78 for a file that is not valid. A variable that begins with \
                ATTACHD_ and belongs to no setting gets a warning.
                """,
        )

        @Argument(help: "The YAML or JSON file.", completion: .file()) var file: String

        func run() async throws {
            try await CommandError.reported {
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
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows all settings as a command would use them: values, and where each comes from.",
            discussion: """
                Takes the options of all commands, so that a command line can be tried. Options come before \
                environment variables, which come before the configuration file. Passwords are hidden, and files of \
                keys and tokens are named, not shown.
                """,
        )

        @Flag(help: "Print a JSON object instead of columns.") var json = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var queue: QueueOptions
        @OptionGroup var preview: PreviewOptions
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await CommandError.reported {
                let listing = try common.listing(server.options, queue.options, preview.options)
                print(json ? String(decoding: listing.json.compactBytes, as: UTF8.self) : listing.text)
            }
        }
    }
}
