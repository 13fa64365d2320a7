import App
import ArgumentParser
import Base
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

    /// Options that had no `-file` at the end of their names, and are still taken without it.
    private static let renamed: Set<Substring> = ["--api-token", "--signing-key", "--publish-credentials"]

    /// The arguments, with the present names of all options.
    private static var arguments: [String] {
        CommandLine.arguments.dropFirst().map { argument in
            let name = argument.prefix { $0 != "=" }
            return renamed.contains(name) ? "\(name)-file\(argument.dropFirst(name.count))" : argument
        }
    }

    static func main() async {
        // A closed pipe is an error of write(2) and must not end the program.
        signal(SIGPIPE, SIG_IGN)
        if let word = CommandLine.arguments.dropFirst().first, let unknown = UnknownCommand(word, commands: commands) {
            exit(withError: ValidationError(unknown.description))
        }
        await main(arguments)
    }
}

// MARK: - Unknown commands

/// The error for an unknown command, with the command that was probably meant.
struct UnknownCommand: Error, CustomStringConvertible {
    /// The most changed letters of a word that was probably meant.
    private static let mostChanges = 2

    let word: String
    let commands: [String]

    /// Returns `nil` if the word is one of the commands, or an option.
    init?(_ word: String, commands: [String]) {
        guard !word.hasPrefix("-"), !commands.contains(word) else { return nil }
        self.word = word
        self.commands = commands
    }

    var description: String {
        let near = commands.map { (name: $0, changes: EditDistance.between(word.prefix(40), $0)) }
            .filter { $0.changes <= Self.mostChanges }
        let meant = near.min { $0.changes < $1.changes }.map { " Did you mean '\($0.name)'?" } ?? ""
        return "There is no command '\(word)'.\(meant) See 'attachd --help'."
    }
}
