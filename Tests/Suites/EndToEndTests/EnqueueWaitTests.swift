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
