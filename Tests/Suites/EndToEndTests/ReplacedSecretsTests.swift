import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("Tokens and keys that change while attachd runs", .timeLimit(.minutes(10)))
struct ReplacedSecretsTests {
    let attachd: AttachdProgram
    private static let tokens = ["first-token-of-sixteen", "second-token-of-sixteen"]

    init() throws { attachd = try AttachdProgram() }

    /// Sends the request until the answer has `status`, again after each line of the log: one says that a file was read.
    private func expect(_ status: Int, _ sidecar: RunningSidecar, _ path: String, token: String? = nil) async throws {
        let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        try await sidecar.untilLogged {
            try await sidecar.send(path, headers: headers).status == status
        }
    }

    @Test(
        "a token is reread on SIGHUP and when its file changes; a malformed one keeps the old token",
        arguments: [true, false]
    )
    func token(onSignal: Bool) async throws {
        let file = try attachd.folder.write(Self.tokens[0], to: "token")
        try await RunningSidecar.run(attachd, ["--api-token-file", file]) { sidecar in
            try await expect(404, sidecar, "/v1/jobs/none", token: Self.tokens[0])
            try await expect(401, sidecar, "/v1/jobs/none", token: Self.tokens[1])
            try attachd.folder.write(Self.tokens[1], to: "token")
            if onSignal { kill(pid_t(sidecar.identifier), SIGHUP) }
            try await expect(404, sidecar, "/v1/jobs/none", token: Self.tokens[1])
            try await expect(401, sidecar, "/v1/jobs/none", token: Self.tokens[0])
            try attachd.folder.write("short", to: "token")
            kill(pid_t(sidecar.identifier), SIGHUP)
            try await sidecar.waitForLog("A file of settings or secrets is not valid")
            try await expect(404, sidecar, "/v1/jobs/none", token: Self.tokens[1])
            try attachd.folder.write(Self.tokens[0], to: "token", mode: 0o644)
            kill(pid_t(sidecar.identifier), SIGHUP)
            try await sidecar.waitForLog("A file of settings or secrets is not valid", count: 2)
            try await expect(404, sidecar, "/v1/jobs/none", token: Self.tokens[1])
        }
    }

    @Test("a link of the old key is valid while that key is the file's second line")
    func signingKey() async throws {
        let photo = SampleMedia.photo
        let origin = try OriginServer { _ in .body(photo) }
        defer { origin.stop() }
        let (old, new) = (String(repeating: "o", count: 32), String(repeating: "n", count: 32))
        let file = try attachd.folder.write(old, to: "key")
        let options = ["--signing-key-file", file, "--public-url", "http://127.0.0.1:1"]
        try await RunningSidecar.run(attachd, options) { sidecar in
            let result = try JSONValue(parsing: try await sidecar.post(origin.url("/photo.jpg")).body)
            let url = try #require(result.value(at: JSONPointer("/attachments/0/url"))?.text)
            let link = String(url.dropFirst("http://127.0.0.1:1".count))
            try await expect(200, sidecar, link)
            try attachd.folder.write("\(new)\n\(old)\n", to: "key")
            kill(pid_t(sidecar.identifier), SIGHUP)
            try await sidecar.waitForLog("was read again")
            try await expect(200, sidecar, link)
            try attachd.folder.write("\(new)\n", to: "key")
            kill(pid_t(sidecar.identifier), SIGHUP)
            try await expect(403, sidecar, link)
        }
    }
}
