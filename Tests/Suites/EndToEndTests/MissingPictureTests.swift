import Payloads
import Support
import Testing

@Suite("A rule that awaits missing pictures", .timeLimit(.minutes(10)))
struct MissingPictureTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    private static func outcome(_ answer: HTTPClient.Answer) throws -> String? {
        try JSONValue(parsing: answer.body)["outcome"]?.text
    }

    @Test("has one request at a time wait for its picture, and lets others have the permit")
    func requests() async throws {
        try await run(["--requests", "1"]) { sidecar, url, isThere, asked in
            async let late = sidecar.post(url("/late.jpg"), deadline: "200s")
            await asked.wait()
            // The 404 may still be on its way to attachd: until then, the only permit is taken.
            try await eventually {
                let answer = try await sidecar.post(url("/ready.jpg"), deadline: "200s")
                return try answer.status == 200 && Self.outcome(answer) == "complete"
            }
            #expect(try Self.outcome(try await sidecar.post(url("/late-too.jpg"), deadline: "200s")) == "original")
            isThere.send()
            #expect(try Self.outcome(try await late) == "complete")
        }
    }

    @Test("has jobs wait too, and a picture that many of them wait for is asked for once a second")
    func jobs() async throws {
        try await run(["--decoders", "1"]) { sidecar, url, isThere, asked in
            for id in 1...8 {
                let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url("/late.jpg"))"}"#
                _ = try await sidecar.enqueue(#"{"id":"\#(id)","payload":\#(payload),"deadline":"200s"}"#)
            }
            await asked.wait()
            isThere.send()
            for id in 1...8 {
                #expect(try await sidecar.job("\(id)")["result"]?["outcome"]?.text == "complete")
            }
        }
    }

    /// Runs a sidecar beside an origin that has pictures whose name begins with `late` only after the signal.
    private func run(
        _ options: [String],
        _ body: (RunningSidecar, @Sendable (String) -> String, _ isThere: Signal, _ asked: Signal) async throws -> Void,
    ) async throws {
        let (isThere, asked) = (Signal(), Signal())
        let origin = try OriginServer { request in
            guard request.path.hasPrefix("/late"), !isThere.isSent else { return .body(SampleMedia.photo) }
            asked.send()
            return .status(404)
        }
        defer { origin.stop() }
        let rule = "sources: {cameras: {match: \"\(origin.url("/*"))\", awaitMissing: 300s}}\n"
        let config = try attachd.folder.write(rule, to: "attachd.yaml")
        try await RunningSidecar.run(attachd, ["--config", config] + options) { sidecar in
            try await body(sidecar, { origin.url($0) }, isThere, asked)
        }
    }
}
