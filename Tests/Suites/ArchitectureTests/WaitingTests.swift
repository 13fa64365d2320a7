import Foundation
import Testing

/// Tests that no test can wait for ever: its time limit cancels it, and then each of its waits ends.
@Suite("The waits of tests")
struct WaitingTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    /// The texts of the files below `Tests/`, without comments, by path.
    private static let sources = Result { try read() }

    private static func read() throws -> [String: String] {
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var sources: [String: String] = [:]
        for case let file as URL in files
        where file.pathExtension == "swift" && !file.path.hasSuffix("/WaitingTests.swift") {
            let text = try String(contentsOf: file, encoding: .utf8)
            let path = String(file.standardized.path.dropFirst(tests.path.count + 1))
            sources[path] = text.replacing(/(?m)^ *\/\/.*$/, with: "")
        }
        return sources
    }

    /// A pattern that no test may have, with its remedy and the files that may have it.
    struct Rule: Sendable, CustomTestStringConvertible {
        var pattern: String
        var remedy: String
        var exempt: Set<String> = []

        var testDescription: String { remedy }
    }

    static let rules = [
        Rule(pattern: #"while [^\n]*\{[^}]*Task\.yield\(\)"#, remedy: "Wait with `eventually`."),
        Rule(
            pattern: #"while (?![^\n]*isCancelled)[^\n]*\b(await|command\()[^\n]*\{\}"#,
            remedy: "Wait with `eventually`."
        ),
        Rule(
            pattern: #"while (?![^\n]*isCancelled)[^\n]*\{[^}]*try\? await (Task|time|SystemTime\(\))\.sleep"#,
            remedy: "`try?` hides the cancellation: wait with `eventually`.",
            // It has a clock of its own, on which a run ends.
            exempt: ["Kit/Simulation/World/SimulatedStore.swift"]
        ),
        Rule(
            pattern: #"with(Checked|Unsafe)(Throwing)?Continuation"#,
            remedy: "Wait with `Signal` or `OneShot`, which end with the task.",
            // TestTime ends with the task. The others wait for a thread whose every call is limited.
            exempt: [
                "Kit/Support/TestTime.swift", "Kit/Support/RawConnection.swift", "Kit/Support/WatchedFile.swift",
                "Kit/Support/HTTPClient.swift", "Suites/EndToEndTests/BatchTests.swift",
                "Suites/EndToEndTests/AttachdProgram.swift",
            ]
        ),
        Rule(pattern: #"\bProcess\(\)"#, remedy: "Start programs with a limit: `Process(program, arguments)`."),
        Rule(
            pattern: #"\bwaitpid\("#,
            remedy: "Wait with `ChildProgram`, which has a limit.",
            exempt: [
                "Kit/Support/ChildProgram.swift", "Kit/Simulation/Runs/Runner.swift",
                "Suites/MachineTests/ZombiesTests.swift",
            ]
        ),
        Rule(
            pattern: #"processExitsWith[^\n]*\{\n(?! *BlockingLimit\.begin\(|[^\n]*\n *BlockingLimit\.begin\()"#,
            remedy: "Begin an exit test with `BlockingLimit.begin()`: nobody ends its process."
        ),
    ]

    @Test("none is deaf to cancellation or without a limit", arguments: rules)
    func patterns(rule: Rule) throws {
        let pattern = try Regex(rule.pattern)
        let found = try Self.sources.get().filter { path, text in !rule.exempt.contains(path) && text.contains(pattern)
        }
        #expect(found.keys.sorted() == [], "\(rule.remedy)")
        for path in rule.exempt {
            #expect(try Self.sources.get()[path]?.contains(pattern) == true, "\(path) is exempt without need")
        }
    }

    @Test("a test that suspends has a time limit")
    func timeLimits() throws {
        let suspends = /@Test[^{]*?\n *func [^\n]*\basync\b/
        let unlimited = try Self.sources.get().filter { $1.contains(suspends) && !$1.contains(".timeLimit(") }
        #expect(unlimited.keys.sorted() == [])
    }

    @Test("a socket that a test reads has a limit")
    func sockets() throws {
        let unlimited = try Self.sources.get().filter { path, text in
            path.hasPrefix("Kit/Support") && text.contains(" connect(") && !text.contains("BlockingLimit.set(on:")
        }
        #expect(unlimited.keys.sorted() == [])
    }
}
