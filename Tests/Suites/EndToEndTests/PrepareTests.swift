import Foundation
import Payloads
import Support
import Testing

@Suite("Attachments that are prepared", .timeLimit(.minutes(10)))
struct PrepareTests {
    private let attachd: AttachdProgram
    private let photo = SampleMedia.photo

    init() throws { attachd = try AttachdProgram() }

    /// Starts an origin of the photo, with a `Cache-Control` for each path.
    private func origin(_ control: @escaping @Sendable (_ path: String) -> String) throws -> OriginServer {
        try OriginServer { [photo] request in
            guard request.path != "/gone.jpg" else { return .status(404) }
            var answer = OriginAnswer.body(photo)
            answer.setHeader("Cache-Control", control(request.path))
            return answer
        }
    }

    /// Runs the command with a file of these lines, for that sidecar.
    private func prepare(_ lines: [String], _ sidecar: RunningSidecar, _ options: [String] = []) async throws
        -> AttachdProgram.Outcome
    {
        let file = attachd.folder.url.appending(path: "sources.jsonl")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        return try await attachd.run(["prepare", file.path, "--listen", "127.0.0.1:\(sidecar.port)"] + options)
    }

    @Test("the command prints an answer for each source and makes a page; the notifications then fetch nothing")
    func command() async throws {
        let origin = try origin { _ in "max-age=0" }
        defer { origin.stop() }
        let page = attachd.folder.url.appending(path: "report.html")
        try await RunningSidecar.run(attachd, ["--public-url", "https://push.example"]) { sidecar in
            let lines = [
                #"{"source":"\#(origin.url("/a.jpg"))","until":"6h"}"#, "",
                #"{"source":"\#(origin.url("/a.jpg"))","profile":"fcm"}"#, #"{"source":"\#(origin.url("/gone.jpg"))"}"#,
                #"{"source":"\#(origin.url("/b.jpg"))","profile":"nokia"}"#,
            ]
            let outcome = try await prepare(lines, sidecar, ["--report", page.path])
            #expect(outcome.status == 3 && outcome.errors.contains("2 of 4 sources are not ready"), "\(outcome.errors)")
            let answers = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            #expect(answers.map { $0["ready"] } == [true, true, false, nil])
            #expect(answers[0]["attachment"]?["type"] == "public.jpeg" && answers[1]["profile"] == "fcm")
            #expect(answers[2]["error"]?["reason"] == "httpStatus" && answers[3]["status"] == 400)
            let html = try String(contentsOf: page, encoding: .utf8)
            #expect(html.contains("2 of 4 sources are ready") && html.contains("<img") && html.contains("/gone.jpg"))

            let asked = origin.requests.count
            for _ in 0..<3 {
                let answer = try await sidecar.post(origin.url("/a.jpg"))
                #expect(try JSONValue(parsing: answer.body)["outcome"] == "complete")
            }
            #expect(origin.requests.count == asked)
        }
    }

    @Test("the command waits for a source that takes longer than an origin may be silent")
    func slowSource() async throws {
        let origin = try OriginServer { [photo] _ in
            .drip(photo, pieceSize: photo.count / 7, every: .seconds(1))
        }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            let outcome = try await prepare([#"{"source":"\#(origin.url("/slow.jpg"))"}"#], sidecar)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test("without a running attachd, and with a line that is not JSON, the command says what to do")
    func refused() async throws {
        let file = attachd.folder.url.appending(path: "sources.jsonl")
        try Data("{\"source\":\"https://a.example/1\"}\nnot JSON\n".utf8).write(to: file)
        let broken = try await attachd.run(["prepare", file.path])
        #expect(broken.status == 65 && broken.errors.contains("line 2"), "\(broken.errors)")
        try Data("{\"source\":\"https://a.example/1\"}\n".utf8).write(to: file)
        let nobody = try await attachd.run(["prepare", file.path, "--listen", "127.0.0.1:9"])
        #expect(nobody.status == 1 && nobody.errors.contains("--listen"), "\(nobody.errors)")
    }

    @Test(
        "a source that one worker prepared is ready at another one with the same bucket and Redis",
        .needsMoto,
        .needsRedis
    )
    func fleet() async throws {
        let (moto, redis) = (try MotoServer(), try RedisServer())
        let origin = try origin { $0 == "/private.jpg" ? "private" : "max-age=60" }
        defer { origin.stop() }
        let options = [
            "--public-url", "http://127.0.0.1:\(moto.port)/media/pushes", "--publish",
            "s3://\(MotoServer.bucket)/pushes",
            "--publish-style", "path", "--publish-endpoint", "http://localhost:\(moto.port)",
            "--queue", "redis://127.0.0.1:\(redis.port)",
        ]
        func worker() throws -> AttachdProgram {
            var attachd = try AttachdProgram()
            attachd.environment = [
                "AWS_ACCESS_KEY_ID": moto.writer.accessKeyID, "AWS_SECRET_ACCESS_KEY": moto.writer.secretAccessKey,
                "AWS_REGION": MotoServer.region,
            ]
            return attachd
        }
        let urls = [origin.url("/a.jpg"), origin.url("/private.jpg")]
        try await RunningSidecar.run(try worker(), options) { first in
            let answer = try await first.send(
                "POST",
                "/v1/prepare",
                headers: ["Attachd-Deadline": "60s"],
                body: JSONValue.array(urls.map { ["source": .string($0)] }).compactBytes
            )
            guard case .array(let answers) = try JSONValue(parsing: answer.body) else {
                throw HTTPClient.Failure(message: answer.text)
            }
            #expect(answers.map { $0["ready"] } == [true, false], "\(answer.text)")
            #expect(answers[1]["remark"]?.text?.contains("private") == true)
        }
        // The worker that made it is gone.
        let asked = origin.requests.count
        try await RunningSidecar.run(try worker(), options) { second in
            for _ in 0..<2 {
                let result = try JSONValue(parsing: try await second.post(urls[0]).body)
                #expect(result["outcome"] == "complete")
                let url = try #require(result.value(at: try JSONPointer("/payload/my-attachment"))?.text)
                let name = try #require(url.split(separator: "/").last)
                #expect(try await moto.object("pushes/\(name)").status == 200)
            }
            #expect(origin.requests.count == asked)
            let metrics = try await second.get("/metrics").text
            #expect(
                metrics.contains("attachd_published_total 0\n")
                    && metrics.contains("attachd_attachments_reused_total 2\n"),
                "\(metrics)"
            )
            // Taken back, it must be made again.
            let taken = try await second.send(
                "DELETE",
                "/v1/attachments?source=\(urls[0].addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            )
            #expect(taken.status == 200, "\(taken.text)")
            let forgotten = try JSONValue(parsing: taken.body)["forgotten"]
            #expect(forgotten.map { $0 != [] } == true, "\(taken.text)")
            #expect(try await moto.keys() == [])
            _ = try await second.post(urls[0])
            #expect(origin.requests.count == asked + 1)
        }
    }
}
