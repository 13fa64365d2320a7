import Foundation
import Glibc
import Payloads
import Support
import Testing

/// Tests of issue 21, section 3: formats are switched off while attachd runs.
@Suite("Formats that are switched off at run time", .timeLimit(.minutes(10)), .serialized)
struct FleetFormatsTests {
    private let photo = SampleMedia.photo

    private func set(_ names: String..., at sidecar: RunningSidecar) async throws -> HTTPClient.Answer {
        let list = names.map { #""\#($0)""# }.joined(separator: ",")
        return try await sidecar.send("POST", "/v1/formats", #"{"disabled":[\#(list)]}"#)
    }

    private func disabled(at sidecar: RunningSidecar, _ list: String = "disabled") async throws -> [String] {
        let json = try JSONValue(parsing: try await sidecar.get("/v1/formats").body)
        guard case .array(let names)? = json[list] else { return ["?"] }
        return names.compactMap(\.text)
    }

    /// Waits until the log says that these formats are off.
    private func waits(for names: [String], at sidecar: RunningSidecar) async throws {
        try await sidecar.untilLogged { try await disabled(at: sidecar) == names }
    }

    private func reason(_ answer: HTTPClient.Answer) throws -> String? {
        try JSONValue(parsing: answer.body).value(at: try JSONPointer("/errors/0/reason"))?.text
    }

    @Test(
        "a list that one worker gets holds for the others, through restarts and the loss of Redis's data",
        .needsRedis
    )
    func fleet() async throws {
        let redis = try RedisServer()
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let (first, second) = (try AttachdProgram(), try AttachdProgram())
        let options = ["--queue", "redis://127.0.0.1:\(redis.port)"]
        try await RunningSidecar.run(first, options) { one in
            try await RunningSidecar.run(second, options + ["--disable-format", "gif"]) { two in
                #expect(try await disabled(at: two) == ["gif"])
                let before = try await two.post(origin.url("/1.jpg"))
                #expect(try reason(before) == nil)
                let answer = try await set("JPEG", "hevc", at: one)
                #expect(answer.status == 200)
                #expect(try await disabled(at: one) == ["jpeg", "hevc"])
                try await waits(for: ["jpeg", "gif", "hevc"], at: two)
                #expect(try await disabled(at: two, "settings") == ["gif"])
                for sidecar in [one, two] {
                    let after = try await sidecar.post(origin.url("/2.jpg"))
                    #expect(try reason(after) == "disabled")
                    #expect(after.text.contains(#""name":"attachmentUnrecognizedType""#))
                }
                // A cached result is delivered without a decoder.
                #expect(try reason(try await two.post(origin.url("/1.jpg"))) == nil)
                let ready = try await two.get("/readyz")
                #expect(ready.status == 200 && ready.text.contains("Switched off: jpeg, gif, hevc."))
                let metrics = try await two.get("/metrics").text
                #expect(metrics.contains("attachd_format_refusals_total{format=\"jpeg\"} 1\n"))
                #expect(metrics.contains("attachd_format_off{format=\"hevc\"} 1\n"))
                #expect(metrics.contains("attachd_format_changes_total 1\n"))
                #expect(metrics.contains("attachd_failures_total{reason=\"disabled\",stage=\"decode\"} 1\n"))
            }
            // A worker that starts later asks before it works.
            try await RunningSidecar.run(second, options) { two in
                #expect(try await disabled(at: two) == ["jpeg", "hevc"])
                #expect(try reason(try await two.post(origin.url("/3.jpg"))) == "disabled")
                let keys = try redis.command("KEYS", "*:formats")
                let lifetime = try redis.command("TTL", keys)
                #expect(keys == "attachd:{default}:formats" && lifetime == "-1")
                try redis.command("DEL", keys)
                try await eventually { try redis.command("EXISTS", keys) != "0" }
                #expect(try redis.command("GET", keys) == #"{"disabled":["jpeg","hevc"]}"#)
                // Redis that is away changes nothing, and takes no list.
                redis.kill()
                #expect(try await set(at: two).status == 503)
                #expect(try await disabled(at: two) == ["jpeg", "hevc"])
                try redis.restart()
                try await eventually { try await set(at: two).status == 200 }
                #expect(try await disabled(at: two) == [])
                try await waits(for: [], at: one)
                #expect(try reason(try await one.post(origin.url("/4.jpg"))) == nil)
            }
        }
    }

    @Test("without Redis the list ends with the process, and the file counts from its start and on SIGHUP")
    func file() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let attachd = try AttachdProgram()
        let file = try attachd.folder.write("formats: {disabled: [heic]}\n", to: "attachd.yaml")
        let options = ["--config", file]
        try await RunningSidecar.run(attachd, options) { sidecar in
            let answer = try await set("jpeg", at: sidecar)
            #expect(answer.status == 200)
            let both = try await disabled(at: sidecar)
            #expect(both == ["jpeg", "heic"])
            // A format that the file switches off stays off.
            let none = try await set(at: sidecar)
            #expect(none.text.contains(#""disabled":["heic"]"#))
            let again = try await set("jpeg", at: sidecar)
            #expect(again.status == 200)
        }
        try await RunningSidecar.run(attachd, options) { sidecar in
            #expect(try await disabled(at: sidecar) == ["heic"])
            #expect(try reason(try await sidecar.post(origin.url("/1.jpg"))) == nil)
            try attachd.folder.write("formats: {disabled: [jpeg, av1]}\n", to: "attachd.yaml")
            kill(pid_t(sidecar.identifier), SIGHUP)
            try await waits(for: ["jpeg", "av1"], at: sidecar)
            #expect(try reason(try await sidecar.post(origin.url("/2.jpg"))) == "disabled")
            try attachd.folder.write("formats: {disabled: [jpg]}\n", to: "attachd.yaml")
            kill(pid_t(sidecar.identifier), SIGHUP)
            try await sidecar.waitForLog("Did you mean")
            #expect(try await disabled(at: sidecar) == ["jpeg", "av1"])
        }
    }

    @Test("an unknown name in the file ends attachd at its start, with advice")
    func unknown() async throws {
        let attachd = try AttachdProgram()
        let file = try attachd.folder.write("formats:\n  disabled: [heif]\n", to: "attachd.yaml")
        let run = try await attachd.run(["config", "check", file])
        #expect(run.status == 78 && run.errors.contains("Did you mean \"heic\"?"), "\(run.errors)")
    }
}
