import Base
import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("attachd loadtest and attachd origin", .timeLimit(.minutes(10)))
struct LoadTestCommandTests {
    let attachd: AttachdProgram

    init() throws {
        var program = try AttachdProgram()
        // The test's folder also contains everything that a killed load test leaves.
        program.environment["TMPDIR"] = program.folder.path
        attachd = program
    }

    private func file(_ name: String) -> URL { attachd.folder.url.appending(path: name) }

    /// Returns the processes that run the command below this test's folder.
    private func leftOvers() -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.filter { Int($0) != nil }.compactMap {
            try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)
        }
        .filter { $0.contains("attachd-loadtest-") }
    }

    /// Runs `attachd origin` as a worker, too: its folder has a result at the path of the route.
    private func withWorker(_ rules: [String], _ body: (String) async throws -> Void) async throws {
        let folder = file("worker/v1")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result = #"{"outcome":"complete","attachments":[],"timings":{"decode":3,"total":4},"margin":900}"#
        try Data(result.utf8).write(to: folder.appending(path: "notifications"))
        let origin = try attachd.start(
            ["origin", file("worker").path, "--listen", "127.0.0.1:0"] + rules.flatMap { ["--rule", $0] }
        )
        defer {
            origin.terminate()
            origin.wait()
        }
        try await body(try #require(try origin.readLine(beginning: "http://")))
    }

    private func loadTest(_ url: String, _ arguments: [String]) async throws -> AttachdProgram.Outcome {
        let options = ["--source", "http://127.0.0.1/a.jpg", "--rate", "60", "--duration", "5s", "--warm-up", "0s"]
        return try await attachd.run(["loadtest", url] + options + arguments)
    }

    @Test("the command starts, measures and stops a worker and an origin, and writes JSON, HTML and JUnit XML")
    func spawns() async throws {
        let outcome = try await attachd.run([
            "loadtest", "--spawn", "--rate", "0.5x", "--duration", "3s", "--warm-up", "2s", "--deadline", "20s",
            "--budget", "late=0", "--budget", "failed=0", "--budget", "rss<2GB", "--budget", "max<20s",
            "--json", file("load.json").path, "--report", file("load.html").path, "--junit", file("load.xml").path,
        ])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let result = try JSONValue(parsing: [UInt8](try Data(contentsOf: file("load.json"))))
        #expect((result.value(at: try JSONPointer("/capacity/perSecond"))?.double ?? 0) > 0)
        #expect((result.value(at: try JSONPointer("/steps/0/outcomes/complete"))?.double ?? 0) > 0)
        #expect((result.value(at: try JSONPointer("/steps/0/stages/decode/count"))?.double ?? 0) > 0)
        #expect((result.value(at: try JSONPointer("/steps/0/rss"))?.double ?? 0) > 1e6)
        #expect(result.value(at: try JSONPointer("/uniqueSources")) == .bool(true))
        #expect(try String(contentsOf: file("load.html"), encoding: .utf8).contains("All budgets kept"))
        #expect(try String(contentsOf: file("load.xml"), encoding: .utf8).contains(#"tests="4" failures="0""#))
        #expect(leftOvers() == [])
    }

    @Test("a load test that is told to stop midway leaves nothing behind", arguments: [SIGTERM, SIGINT])
    func stopped(signal: Int32) async throws {
        let errors = file("errors").path
        let program = try attachd.start(
            ["loadtest", "--spawn", "--duration", "10m", "--warm-up", "1s"],
            errors: errors
        )
        try await eventually { (try? String(contentsOfFile: errors, encoding: .utf8))?.contains("warm-up:") == true }
        kill(pid_t(program.identifier), signal)
        #expect(program.wait() == 1)
        #expect(leftOvers() == [])
    }

    @Test("the worker and origin of a killed load test end too")
    func killed() async throws {
        let errors = file("errors").path
        let program = try attachd.start(
            ["loadtest", "--spawn", "--duration", "10m", "--warm-up", "1s"],
            errors: errors
        )
        try await eventually { (try? String(contentsOfFile: errors, encoding: .utf8))?.contains("warm-up:") == true }
        #expect(leftOvers().count >= 2)
        program.kill()
        try await eventually { leftOvers() == [] }
    }

    @Test("a missed budget gives status 4 and the size of the miss")
    func missed() async throws {
        try await withWorker(["* latency=200ms"]) { url in
            let outcome = try await loadTest(url, ["--budget", "p50<100ms", "--budget", "unanswered=0"])
            #expect(outcome.status == 4, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("missed  p50<100ms at 60/s: 2"))
            #expect(outcome.output.contains("kept  unanswered=0 at 60/s: 0"))
        }
    }

    @Test("a few late answers miss late=0")
    func late() async throws {
        try await withWorker(["* latency=3s@1%"]) { url in
            let outcome = try await loadTest(url, ["--deadline", "2500ms", "--budget", "late=0"])
            #expect(outcome.status == 4, "\(outcome.output)\(outcome.errors)")
        }
    }

    @Test("a percentile that got worse since an older run gives status 4")
    func compares() async throws {
        let old = file("old.json").path
        try await withWorker(["* latency=50ms"]) { url in
            let outcome = try await loadTest(url, ["--json", old])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
        try await withWorker(["* latency=2s"]) { url in
            let outcome = try await loadTest(url, ["--compare", old])
            #expect(outcome.status == 4, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("worse  p50 at 60/s"))
            let other = try await loadTest(url, ["--compare", old, "--deadline", "4s", "--duration", "1h"])
            #expect(other.status == 1 && other.errors.contains("--deadline (5.00 s then, 4.00 s now)"))
        }
    }

    @Test("a target that refuses or is missing is a failure at the deadline, with the reason")
    func failures() async throws {
        try await withWorker(["* status=503"]) { url in
            let outcome = try await loadTest(url, ["--budget", "p50<1s", "--budget", "refused=0"])
            #expect(outcome.status == 4)
            #expect(outcome.output.contains("HTTP 503"))
        }
        let nobody = try await loadTest("http://127.0.0.1:1", ["--duration", "1s", "--budget", "failed=0"])
        #expect(nobody.status == 4)
        #expect(nobody.output.contains("no connection"))
        let unjudged = try await loadTest("http://127.0.0.1:1", ["--duration", "1s"])
        #expect(unjudged.status == 1 && unjudged.errors.contains("No notification was answered: no connection"))
    }

    @Test(
        "a queue's jobs are load too: through the sidecar's route, or straight into a Redis",
        arguments: ["jobs", "queue"]
    )
    func queues(way: String) async throws {
        let redis = way == "queue" ? try RedisServer() : nil
        let queue = redis.map { ["--queue", "redis://127.0.0.1:\($0.port)"] } ?? []
        let outcome = try await attachd.run(
            [
                "loadtest", "--spawn", "--through", way, "--rate", "5", "--duration", "3s", "--warm-up", "1s",
                "--deadline", "20s", "--budget", "late=0", "--budget", "failed=0",
            ] + queue
        )
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains(" complete"))
        #expect(outcome.output.contains("decode "))
    }

    @Test(
        "invalid options are refused before anything is sent, and the message shows valid ones",
        arguments: [
            (["loadtest"], "either a URL or --spawn"),
            (["loadtest", "--spawn", "http://a"], "either a URL or --spawn"),
            (["loadtest", "http://127.0.0.1:1"], "--source"),
            (["loadtest", "--spawn", "--budget", "p99<1.8"], "write it as p99<1.8s"),
            (["loadtest", "--spawn", "--rate", "1x", "--budget", "p99<1s@2x"], "the steps are 1x"),
            (["loadtest", "--spawn", "--rate", "fast"], "write it as 50"),
            (["loadtest", "--spawn", "--duration", "3"], "is not a duration"),
            (["loadtest", "http://127.0.0.1:1/v2", "--source", "http://a/"], "/v1/notifications"),
            (["loadtest", "--spawn", "--through", "queue"], "--queue redis://"),
        ]
    )
    func refuses(arguments: [String], advice: String) async throws {
        let outcome = try await attachd.run(arguments)
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains(advice), "\(outcome.errors)")
        #expect(leftOvers() == [])
    }

    @Test(
        "invalid options of the origin are refused",
        arguments: [
            (["origin", "/none"], 66), (["origin", "/tmp", "--rule", "*.mp4"], 78),
            (["origin", "/tmp", "--rules", "/none"], 78),
            (["origin", "/tmp", "--listen", "here"], 78), (["origin", "/tmp", "--certificate", "a"], 78),
        ]
    )
    func originRefuses(arguments: [String], status: Int) async throws {
        #expect(try await attachd.run(arguments).status == Int32(status))
    }

    @Test("the origin serves over TLS, and delays handshakes on request")
    func tls() async throws {
        try TestCertificate.make(in: attachd.folder.url)
        try FileManager.default.createDirectory(at: file("files"), withIntermediateDirectories: true)
        let photo = SampleMedia.photoURL
        try FileManager.default.copyItem(at: photo, to: file("files/photo.jpg"))
        let origin = try attachd.start([
            "origin", file("files").path, "--listen", "127.0.0.1:0", "--tls-delay", "300ms",
            "--certificate", file(TestCertificate.certificate).path, "--key", file(TestCertificate.key).path,
        ])
        defer {
            origin.terminate()
            origin.wait()
        }
        let url = try #require(try origin.readLine(beginning: "https://"))
        let outcome = try await attachd.process(
            url + "photo.jpg",
            ["--ca-file", file(TestCertificate.certificate).path]
        )
        #expect(outcome.outcome == "complete", "\(String(describing: outcome.result))")
        #expect((outcome.number("/timings/download") ?? 0) >= 300)
    }
}
