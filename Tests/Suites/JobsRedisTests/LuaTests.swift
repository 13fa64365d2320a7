import Foundation
import Support
import Testing

@testable import JobsRedis

@Suite("The scripts in Lua", .timeLimit(.minutes(10)))
struct LuaTests {
    private static let linter = "/usr/bin/luacheck"

    @Test(
        "the linter finds nothing in a script, but functions that its other parts do not use",
        .enabled(if: FileManager.default.fileExists(atPath: linter), "needs luacheck of Debian's lua-check"),
        arguments: Script.all.indices
    )
    func lint(index: Int) throws { #expect(try findings(in: Script.all[index].text) == "") }

    @Test(
        "a variable without `local` is found, which Redis would refuse only when it is reached",
        .enabled(if: FileManager.default.fileExists(atPath: linter), "needs luacheck of Debian's lua-check")
    )
    func planted() throws {
        #expect(try findings(in: Script.purge.text + "\nif false then count = 1 end\n") != "")
    }

    /// Returns the linter's findings in a text.
    private func findings(in text: String) throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "script.lua")
        let output = Pipe()
        let process = Process(
            Self.linter,
            [
                file, "--no-config", "--no-color", "--formatter", "plain", "--std", "lua51", "--ignore", "211",
                "--read-globals", "redis", "KEYS", "ARGV",
            ]
        )
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
