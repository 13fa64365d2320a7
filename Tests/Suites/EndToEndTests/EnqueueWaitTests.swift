import Base
import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("attachd enqueue --wait", .timeLimit(.minutes(10)))
struct EnqueueWaitTests {
    private static let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"}}"#
    private let attachd: AttachdProgram

    init() throws {
        attachd = try AttachdProgram()
        // As a worker leaves it.
        try FileManager.default.createDirectory(
            atPath: attachd.store,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700],
        )
    }

    private func options(_ more: String...) -> [String] {
        ["enqueue", "-", "--id", "a", "--wait", "--store", attachd.store] + more
    }

    @Test("ends after the deadline if no worker takes the job, and says so before", arguments: ["sqlite", "redis"])
    func noWorker(engine: String) async throws {
        let redis = engine == "redis" ? try RedisServer() : nil
        let queue = redis.map { ["--queue", "redis://127.0.0.1:\($0.port)"] } ?? []
        let outcome = try await attachd.run(options("--deadline", "1s") + queue, input: Array(Self.payload.utf8))
        #expect(outcome.status == 1 && outcome.output == "")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 2, "\(outcome.errors)")
        #expect(lines.first?.hasPrefix("attachd: No worker has taken the job a") == true)
        #expect(lines.first?.contains("none reports to this queue") == (engine == "redis"))
        #expect(lines.last?.contains("its deadline of 1000 ms") == true && lines.last?.contains("attachd work") == true)
    }

    @Test("leaves the queue's file to a worker that starts meanwhile, and prints its result")
    func laterWorker() async throws {
        let errors = WatchedFile(attachd.folder.url.appending(path: "waiting"))
        let waiting = try attachd.start(
            options("--deadline", "60s"),
            input: Array(Self.payload.utf8),
            errors: errors.url.path
        )
        try await errors.wait(for: "No worker has taken")
        try await RunningSidecar.run(attachd) { _ in
            let output = try waiting.readToEnd()
            #expect(waiting.wait() == 0)
            #expect(try JSONValue(parsing: output)["outcome"]?.text == "original")
        }
    }

    @Test(
        "ends with status 1 for a job without a result, and prints JSON in any case",
        .needsRedis,
        arguments: ["failed", "poison", "cancelled"]
    )
    func withoutResult(status: String) async throws {
        let redis = try RedisServer()
        defer { redis.kill() }
        let queue = ["--queue", "redis://127.0.0.1:\(redis.port)"]
        let errors = WatchedFile(attachd.folder.url.appending(path: "waiting"))
        // The profile is one of this command's configuration only.
        let file = try attachd.folder.write("profiles: {mine: {basedOn: apns}}", to: "attachd.yaml")
        let options = options("--deadline", "60s", "--config", file, "--profile", status == "failed" ? "mine" : "apns")
        let waiting = try attachd.start(options + queue, input: Array(Self.payload.utf8), errors: errors.url.path)
        try await errors.wait(for: "No worker has taken")
        let jobs = try redis.command("XRANGE", "attachd:{default}:jobs:hi", "-", "+")
        let entry = try #require(jobs.split(separator: "\n").first)
        if status == "poison" { try redis.command("HSET", "attachd:{default}:starts", "hi/\(entry)", "9 0") }
        let command = status == "cancelled" ? ["--no-worker"] : []
        try await RunningSidecar.run(attachd, queue + command) { sidecar in
            if status == "cancelled" {
                #expect(try await sidecar.send("DELETE", "/v1/jobs/a").status == 204)
            }
            let output = try JSONValue(parsing: try waiting.readToEnd())
            #expect(waiting.wait() == 1)
            #expect(output["id"]?.text == "a")
            switch status {
            case "failed":
                #expect(output["detail"]?.text?.contains("mine") == true)
                try await sidecar.waitForLog("A job is not valid")
            case "poison": #expect(output["outcome"]?.text == "original" && output["errors"] != nil)
            default: #expect(output["status"]?.text == "cancelled")
            }
            #expect(errors.text.contains("The job a has the status \(status)."))
        }
    }

    @Test(
        "ends at a signal with its status, and leaves the job in the queue",
        arguments: [SIGINT: 130, SIGTERM: 143] as [Int32: Int32]
    )
    func interrupted(signal: Int32, status: Int32) async throws {
        let errors = WatchedFile(attachd.folder.url.appending(path: "waiting"))
        let waiting = try attachd.start(
            options("--deadline", "60s"),
            input: Array(Self.payload.utf8),
            errors: errors.url.path
        )
        try await errors.wait(for: "No worker has taken")
        kill(pid_t(waiting.identifier), signal)
        #expect(try waiting.readToEnd().isEmpty)
        #expect(waiting.wait() == status)
        #expect(errors.text.contains("The jobs stay in the queue."))
        let shown = try await attachd.run(["jobs", "show", "a", "--store", attachd.store])
        #expect(shown.status == 0 && shown.output == "waiting\n")
    }
}
