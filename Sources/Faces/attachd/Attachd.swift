import App
import ArgumentParser
import Glibc

@main
struct Attachd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachd",
        abstract: "Prepares the media attachments of push notifications before the push is sent.",
        version: Version.description,
        subcommands: [
            ProcessCommand.self, ServeCommand.self, WorkCommand.self, EnqueueCommand.self, JobsCommand.self,
            ForgetCommand.self, PrepareCommand.self, BatchCommand.self, LoadTestCommand.self, OriginCommand.self,
            DialectsCommand.self,
            LintCommand.self, DoctorCommand.self, HealthCommand.self, ConfigCommand.self,
        ],
    )

    private static var commands: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    }

    static func main() async {
        // A closed pipe is an error of write(2) and must not end the program.
        signal(SIGPIPE, SIG_IGN)
        if let word = CommandLine.arguments.dropFirst().first, let unknown = UnknownCommand(word, commands: commands) {
            exit(withError: ValidationError(unknown.description))
        }
        await main(nil)
    }
}
