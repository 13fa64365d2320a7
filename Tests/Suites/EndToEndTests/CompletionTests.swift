import Foundation
import Support
import Testing

@Suite("Completions of shells", .timeLimit(.minutes(10)))
struct CompletionTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    @Test("there is a script for each shell, with every command", arguments: ["bash", "zsh", "fish"])
    func scripts(shell: String) async throws {
        let outcome = try await attachd.run(["--generate-completion-script", shell])
        #expect(outcome.status == 0)
        let commands = [
            "process", "serve", "work", "enqueue", "jobs", "forget", "batch", "loadtest", "origin", "doctor", "lint",
        ]
        for command in commands { #expect(outcome.output.contains(command), "\(command)") }
        // Words that no help text has.
        for word in ["webpush-icon", "rediss-sentinel://", "node-pushnotifications"] {
            #expect(outcome.output.contains(word), "\(word)")
        }
    }

    /// Returns what bash offers at the end of a line.
    private func offered(_ line: String) async throws -> [String] {
        let script = try await attachd.run(["--generate-completion-script", "bash"]).output
        let file = attachd.folder.url.appending(path: "completions")
        try Data(script.utf8).write(to: file)
        let command = """
            cd "$2"; source completions
            COMP_LINE="$1"; COMP_POINT=${#1}; read -ra COMP_WORDS <<<"$1"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _attachd attachd "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = try ChildProgram(
            ["/bin/bash", "--norc", "-c", command, "bash", line, attachd.folder.path],
            in: attachd.folder.url
        )
        let output = String(decoding: try bash.readToEnd(), as: UTF8.self)
        bash.wait()
        return output.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    @Test(
        "bash completes commands, options, values and files",
        arguments: [
            ("attachd pro", "process"), ("attachd jobs de", "dead"), ("attachd loadtest --arr", "--arrivals"),
            ("attachd loadtest --arrivals po", "poisson"), ("attachd process pay", "payload.json"),
            ("attachd serve --config sett", "settings.yaml"), ("attachd serve --store sto", "stored"),
            ("attachd serve --signing-k", "--signing-key-file"), ("attachd serve --log-level deb", "debug"),
            ("attachd process --log-format js", "json"), ("attachd work --profile webpush-", "webpush-icon"),
            ("attachd batch --disable-format hei", "heic"), ("attachd serve --publish-style ho", "host"),
            ("attachd process --push-type vo", "voip"), ("attachd lint --dialect moe", "moengage"),
            ("attachd doctor --queue sq", "sqlite:"), ("attachd jobs list --queue rediss-", "rediss-sentinel://"),
            ("attachd config check sett", "settings.yaml"), ("attachd loadtest --through rew", "rewrite"),
            ("attachd loadtest --payload pay", "payload.json"),
            ("attachd enqueue --api-token-file pay", "payload.json"),
        ]
    )
    func bash(line: String, word: String) async throws {
        for name in ["payload.json", "settings.yaml"] { _ = try attachd.folder.write("{}", to: name) }
        let folder = attachd.folder.url.appending(path: "stored")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(try await offered(line) == [word])
    }
}
