import Foundation
import Payloads
import Support
import Testing

@Suite("The signing keys of a fleet", .needsRedis, .timeLimit(.minutes(10)))
struct FleetKeysTests {
    private static let words = "a key that this process does not have"
    private let redis: RedisServer
    private let folder: TemporaryFolder

    init() throws {
        redis = try RedisServer()
        folder = try TemporaryFolder()
    }

    /// Writes a file of keys, each of one letter.
    private func options(_ letters: String..., more: String...) throws -> [String] {
        let text = letters.map { String(repeating: $0, count: 40) }.joined(separator: "\n")
        let file = try folder.write(text, to: letters.joined())
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return ["--queue", "redis://127.0.0.1:\(redis.port)", "--signing-key-file", file] + more
    }

    @Test("a process with other keys says so, and does not start with --strict; a rotation has both for a while")
    func foreign() async throws {
        defer { redis.kill() }
        let programs = try (0..<3).map { _ in try AttachdProgram() }
        let metric = #"attachd_queue_problem{kind="foreignKeys"}"#
        try await RunningSidecar.run(programs[0], try options("a")) { one in
            try await eventually { try redis.command("EXISTS", "attachd:{default}:keys") == "1" }
            #expect(try !redis.command("GET", "attachd:{default}:keys").contains("aaaa"))
            try await RunningSidecar.run(programs[1], try options("b")) { two in
                try await two.waitForLog(Self.words)
                #expect(try await two.get("/readyz").text.contains(Self.words))
                #expect(try await two.get("/metrics").text.contains("\(metric) 1\n"))
                #expect(try await one.get("/metrics").text.contains("\(metric) 0\n"))
            }
            try redis.command("CONFIG", "SET", "appendonly", "yes")
            let strict = try await programs[1].run(
                ["work", "--listen", "127.0.0.1:0", "--store", programs[1].store] + (try options("b", more: "--strict"))
            )
            #expect(strict.status == 78 && strict.errors.contains(Self.words), "\(strict.errors)")
            let doctor = try await programs[1].run(["doctor", "--store", programs[1].store] + (try options("b")))
            #expect(doctor.output.contains(Self.words))
            let before = try redis.command("GET", "attachd:{default}:keys")
            // The new key comes first, and the fleet's is the old one.
            try await RunningSidecar.run(programs[2], try options("b", "a", more: "--strict")) { new in
                try await eventually { try redis.command("GET", "attachd:{default}:keys") != before }
                #expect(try await new.get("/metrics").text.contains("\(metric) 0\n"))
                // The first one would refuse the links that the new one signs.
                try await one.waitForLog(Self.words)
            }
        }
    }
}
