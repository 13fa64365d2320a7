import Settings
import Foundation
import Support
import Testing

@Suite("Settings as options of commands", .timeLimit(.minutes(10)))
struct SettingOptionsTests {
    private let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    /// Returns the long names of the options in a command's help.
    private func options(of command: String) async throws -> Set<String> {
        let help = try await attachd.run([command, "--help"]).output
        return Set(help.matches(of: /(?m)^ +--([a-z-]+)/).map { String($0.1) })
    }

    @Test("each command has the options of its groups of settings, and no others")
    func groups() async throws {
        let commands: [String: Set<SettingDeclaration.Group>] = [
            "process": [.common], "batch": [.common], "dialects": [.common], "lint": [.common],
            "doctor": [.common, .server, .queue, .preview],
            "serve": [.common, .server, .queue, .preview], "work": [.common, .server, .queue],
            "forget": [.common, .server, .queue],
        ]
        for (command, groups) in commands {
            let found = try await options(of: command)
            for setting in Settings.all where setting.key != "strict" {
                #expect(
                    found.contains(String(setting.option.dropFirst(2))) == groups.contains(setting.group),
                    "\(command)"
                )
            }
        }
    }

    @Test("the value of each form of option reaches the settings")
    func values() async throws {
        let refused = [
            ["--keep", "soon"], ["--decoders", "0"], ["--allow-address", "10.0.0.0/8", "--allow-address", "nowhere"],
            ["--queue", "nowhere:1"], ["--group-readable-keys", "--publish", "s3://media/pushes"],
        ]
        for arguments in refused {
            let command = arguments[0] == "--queue" ? ["jobs", "list"] : ["dialects"]
            let outcome = try await attachd.run(command + arguments)
            #expect(outcome.status == 78, "\(arguments): \(outcome.errors)")
        }
        #expect(try await attachd.run(["dialects", "--keep", "1h", "--group-readable-keys"]).status == 0)
        #expect(try await attachd.run(["dialects", "--decoders", "many"]).status == 64)
    }
}
