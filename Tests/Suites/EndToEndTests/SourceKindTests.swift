import Foundation
import Payloads
import Support
import Testing

/// Tests of every kind of source that needs a key, in every state of the key, and a search for each secret in everything
/// that attachd writes (SECURITY N12).
@Suite(
    "Sources that need a key, from payload to result",
    .needsMoto,
    .needsCollector,
    .serialized,
    .timeLimit(.minutes(10)),
)
struct SourceKindTests {
    typealias Kind = SourceScene.Kind
    typealias Condition = SourceScene.Condition

    private let photo = SampleMedia.photo

    /// The reasons that a failure may have; none if the photo is delivered.
    private static func reasons(_ kind: Kind, _ condition: Condition) -> Set<String> {
        switch (kind, condition) {
        case (_, .works), (.basic, .redirect), (.bearer, .redirect), (.object, .redirect), (.lentObject, .redirect): []
        // TLS 1.3 tells a client after the handshake that its certificate is refused.
        case (.certificate, _): ["tlsFailed", "connectionFailed"]
        case (.object, .noRule), (.lentObject, .noRule): ["refusedScheme"]
        // Without the rule, the name has no address.
        case (.bearer, .noRule): ["refusedAddress"]
        default: ["httpStatus"]
        }
    }

    @Test("the table of kinds and conditions", arguments: Kind.allCases, Condition.allCases)
    func table(kind: Kind, condition: Condition) async throws {
        let collector = try CollectorServer()
        var attachd = try AttachdProgram()
        let scene = try await SourceScene(kind, condition, photo: photo, in: attachd.folder)
        defer { scene.stop() }
        attachd.environment = scene.environment.merging([
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint, "OTEL_BSP_SCHEDULE_DELAY": "100",
            "ATTACHD_LOG_LEVEL": "trace", "CURL_VERBOSE": "1",
        ]) { $1 }
        var texts: [String: String] = [:]
        try await RunningSidecar.run(attachd, scene.options) { sidecar in
            let answer = try await sidecar.post(scene.url)
            let result = try JSONValue(parsing: answer.body)
            let reason = result.value(at: try JSONPointer("/errors/0/reason"))?.text
            let wanted = Self.reasons(kind, condition)
            #expect(result["outcome"]?.text == (wanted.isEmpty ? "complete" : "original"), "\(answer.text)")
            #expect(reason.map(wanted.contains) ?? wanted.isEmpty, "\(answer.text)")
            texts["spans"] = "\(try await collector.spans(named: ["POST /v1/notifications"]))"
            for path in ["/metrics", "/readyz", "/livez"] { texts[path] = try await sidecar.get(path).text }
            try await sidecar.waitForLog("Notification finished.")
            texts["log"] = sidecar.logged
            texts["result"] = answer.text
        }
        for file in attachd.folder.files.filter({ $0.hasPrefix("store/") }) {
            let data = try Data(contentsOf: attachd.folder.url.appending(path: file))
            texts[file] = String(decoding: data, as: Unicode.UTF8.self)
        }
        #expect(
            texts["log"]?.contains(#""level":"debug""#) == true || texts["log"]?.contains(#""level":"trace""#) == true
        )
        for (name, text) in texts {
            for secret in scene.secrets { #expect(!text.contains(secret), "\(name) shows a secret") }
        }
        // The server that the redirect leads to learns no secret, and nobody else is asked.
        #expect(scene.other.requests.count == (condition == .redirect && kind != .certificate ? 1 : 0))
        for request in scene.other.requests {
            #expect(request.headers.keys.allSatisfy { $0 != "authorization" && !$0.hasPrefix("x-amz") })
        }
    }

    @Test("process names the rule, and doctor tries it", arguments: Kind.allCases)
    func commands(kind: Kind) async throws {
        for (condition, isWorking) in [(Condition.works, true), (.wrongKey, false)] {
            var attachd = try AttachdProgram()
            let scene = try await SourceScene(kind, condition, photo: photo, in: attachd.folder)
            defer { scene.stop() }
            attachd.environment = scene.environment
            let arguments = scene.options + ["--log-level", "trace"]
            let outcome = try await attachd.process(scene.url, arguments + ["--explain"])
            #expect(outcome.outcome == (isWorking ? "complete" : "original"), "\(outcome.errors)")
            #expect(outcome.errors.contains("source rule guarded, with its access: /my-attachment\n"))
            let options = ["--store", attachd.store, "--allow-address", "127.0.0.1"]
            let doctor = try await attachd.run(["doctor"] + options + arguments)
            let line = doctor.output.split(separator: "\n").first { $0.hasPrefix("sources") && $0.contains("guarded") }
            #expect(line?.contains(isWorking ? "ok: " : "missing: ") == true, "\(doctor.output)")
            #expect(doctor.status == (isWorking ? 0 : 1), "\(doctor.output)")
            for secret in scene.secrets {
                #expect(!(outcome.errors + outcome.output + doctor.output + doctor.errors).contains(secret))
            }
        }
    }

    @Test("a new token in the header's file is used without a restart, and what the old one fetched is still reused")
    func rotation() async throws {
        let attachd = try AttachdProgram()
        let origin = try OriginServer { [photo] request in
            let isOld = request.path.hasPrefix("/private/old")
            return request.headers["authorization"] == (isOld ? "Bearer token-old" : "Bearer token-new")
                ? .body(photo) : .status(401)
        }
        defer { origin.stop() }
        try attachd.folder.write("Bearer token-old\n", to: "header")
        let rule = "{match: '\(origin.url("/private/"))', headers: {Authorization: {file: header}}}"
        let config = try attachd.folder.write("sources:\n  guarded: \(rule)\n", to: "attachd.yaml")
        try await RunningSidecar.run(attachd, ["--config", config]) { sidecar in
            func outcome(_ path: String) async throws -> String? {
                try JSONValue(parsing: try await sidecar.post(origin.url(path)).body)["outcome"]?.text
            }
            #expect(try await outcome("/private/old.jpg") == "complete")
            #expect(try await outcome("/private/new-1.jpg") == "original")
            try attachd.folder.write("Bearer token-new\n", to: "header")
            try await sidecar.waitForLog("the header Authorization of the rule guarded")
            #expect(try await outcome("/private/new-2.jpg") == "complete")
            let count = origin.requests.count
            #expect(try await outcome("/private/old.jpg") == "complete")
            #expect(origin.requests.count == count)
            #expect(!sidecar.logged.contains("token-new") && !sidecar.logged.contains("token-old"))
        }
    }
}
