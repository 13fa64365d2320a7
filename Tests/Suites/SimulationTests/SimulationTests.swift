import Foundation
import Support
import Testing

/// Tests of the simulation itself. `Scripts/simulate` runs many more seeds.
struct SimulationTests {
    @Test("the same seeds give the same histories again, and no rule is broken", .timeLimit(.minutes(10)))
    func repetition() throws {
        let first = try Self.simulate("12", "1")
        #expect(first.contains("no rule broken"))
        #expect(try Self.simulate("12", "1") == first)
    }

    @Test("another seed gives another history", .timeLimit(.minutes(10)))
    func variety() throws {
        #expect(try Self.simulate("--seed", "1") != Self.simulate("--seed", "2"))
    }

    /// Returns the output of the program, which must succeed.
    private static func simulate(_ arguments: String...) throws -> String {
        let folder = try TemporaryFolder()
        let program = try ChildProgram([BuiltProgram.path("simulate")] + arguments, in: folder.url)
        let output = String(decoding: try program.readToEnd(), as: UTF8.self)
        #expect(program.wait() == 0, "\(output)")
        return output
    }
}
