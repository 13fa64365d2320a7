import Base
import Foundation
import Payloads
import Settings
import Support
import Testing

@Suite("Help texts of all commands", .timeLimit(.minutes(10)))
struct HelpTests {
    /// An option or argument of a command.
    private struct Option {
        var command: String
        var name: String
        var help: String
        /// The default value that ArgumentParser shows, in addition to the help text.
        var shownDefault: String?
        var completion: JSONValue?

        /// The default values in the help text.
        var defaults: [String] { help.matches(of: /\(default: (.*?)\)$/).map { String($0.1) } }
    }

    private struct Command {
        var name: String
        var discussion: String
        var options: [Option]
    }

    private let commands: [Command]

    init() async throws {
        let attachd = try AttachdProgram()
        let output = try await attachd.run(["--experimental-dump-help"]).output
        let help = try JSONValue(parsing: Array(output.utf8))
        commands = Self.commands(try #require(help["command"]), below: "")
    }

    private static func commands(_ help: JSONValue, below parent: String) -> [Command] {
        let name = [parent, help["commandName"]?.text ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        let options = elements(help["arguments"]).map { argument in
            let names = elements(argument["names"]).compactMap { $0["name"]?.text }
            return Option(
                command: name,
                name: names.first ?? argument["valueName"]?.text ?? "",
                help: argument["abstract"]?.text ?? "",
                shownDefault: argument["defaultValue"]?.text,
                completion: argument["completionKind"],
            )
        }
        let command = Command(name: name, discussion: help["discussion"]?.text ?? "", options: options)
        return [command] + elements(help["subcommands"]).flatMap { commands($0, below: name) }
    }

    private static func elements(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    @Test("no option has two defaults, in its own text, beside it, or in the command's description")
    func oneDefault() {
        #expect(commands.count > 15)
        for option in commands.flatMap(\.options) {
            let count = option.help.matches(of: /(?i)default(s to|:)/).count + (option.shownDefault == nil ? 0 : 1)
            #expect(count <= 1, "\(option.command) \(option.name): \(option.help)")
        }
        for command in commands {
            #expect(command.discussion.firstMatch(of: /(?i)default/) == nil, "\(command.name)")
            #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
        }
    }

    @Test("the default of --deadline is the real one, also where it is another")
    func deadlines() throws {
        let settings = try Settings(reading: SettingsSource(environment: ["HOME": "/nowhere"]))
        let deadlines = commands.flatMap(\.options).filter { $0.name == "deadline" }
        #expect(deadlines.contains { $0.command == "attachd batch" && $0.defaults == ["300s"] })
        for option in deadlines where option.command != "attachd loadtest" {
            let real = option.command == "attachd batch" ? settings.fileDeadline : settings.deadline
            #expect(option.defaults == ["\(real.milliseconds / 1000)s"], "\(option.command)")
        }
    }

    @Test("an option whose text names a file or folder completes it, and one with a few values completes those")
    func completions() {
        for option in commands.flatMap(\.options) {
            let takesPath =
                option.help.firstMatch(of: /(this|The) (PEM |YAML or JSON |configuration )?(file|folder)\b/) != nil
            let isFlag = option.help.hasPrefix("Write ") && option.name == "file-urls"
            guard takesPath, !isFlag, option.shownDefault == nil else { continue }
            #expect(option.completion != nil, "\(option.command) --\(option.name): \(option.help)")
        }
        let words = [
            "profile", "log-level", "log-format", "publish-style", "disable-format", "queue", "dialect", "push-type",
        ]
        for word in words {
            let options = commands.flatMap(\.options).filter { $0.name == word }
            #expect(!options.isEmpty)
            for option in options { #expect(option.completion?["list"] != nil, "\(option.command) --\(word)") }
        }
    }
}
