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
        let near = commands.map { (name: $0, changes: Self.changes(from: word, to: $0)) }
            .filter { $0.changes <= Self.mostChanges }
        let meant = near.min { $0.changes < $1.changes }.map { " Did you mean '\($0.name)'?" } ?? ""
        return "There is no command '\(word)'.\(meant) See 'attachd --help'."
    }

    /// Returns the number of letters to insert, remove, or replace (Levenshtein).
    private static func changes(from word: String, to other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (index, letter) in word.prefix(40).enumerated() {
            var next = [index + 1]
            for (column, wanted) in other.enumerated() {
                next.append(min(next[column] + 1, row[column + 1] + 1, row[column] + (letter == wanted ? 0 : 1)))
            }
            row = next
        }
        return row[other.count]
    }
}
