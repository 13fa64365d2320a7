import Foundation
import Payloads
import Support
import Testing

/// Tests of issue 15, section 10.
@Suite("attachd forget", .timeLimit(.minutes(10)))
struct ForgetTests {
    let attachd: AttachdProgram
    let photo = SampleMedia.photo
    private static let publicURL = "https://push.example"
    private static let options = ["--public-url", publicURL]

    init() throws { attachd = try AttachdProgram() }

    private func link(_ answer: HTTPClient.Answer) throws -> (path: String, name: String) {
        let result = try JSONValue(parsing: answer.body)
        let url = try #require(result.value(at: try JSONPointer("/attachments/0/url"))?.text)
        let path = String(url.dropFirst(Self.publicURL.count))
        return (path, String(path.split(separator: "?")[0].split(separator: "/").last ?? ""))
    }

    private func forget(_ reference: String, port: Int? = nil) async throws -> AttachdProgram.Outcome {
        let listen = port.map { ["--listen", "127.0.0.1:\($0)"] } ?? []
        return try await attachd.run(["forget", reference, "--store", attachd.store] + listen)
    }

    @Test("takes back all files of a source beside a running sidecar, by URL, even after a restart")
    func running() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        var published = ""
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            let link = try link(try await sidecar.post(origin.url("/photo.jpg")))
            published = link.path
            #expect(try await sidecar.get(published).status == 200)
            let run = try await forget(origin.url("/photo.jpg"), port: sidecar.port)
            #expect(run.status == 0 && run.output == "\(link.name)\n", "\(run.output) \(run.errors)")
            #expect(try await sidecar.get(published).status == 410)
            // The same content doesn't return under another URL.
            let again = try JSONValue(parsing: try await sidecar.post(origin.url("/copy.jpg")).body)
            #expect(again["outcome"]?.text == "original")
            #expect(again.value(at: try JSONPointer("/errors/0/reason"))?.text == "forgotten", "\(again.compactText)")
        }
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            let status = try await sidecar.get(published).status
            #expect(status == 410)
        }
    }

    @Test("works without a sidecar, by name, and reports an unknown name")
    func alone() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        var made = (path: "", name: "")
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            made = try link(try await sidecar.post(origin.url("/photo.jpg")))
        }
        let unknown = try await forget("https://example.com/nothing.jpg")
        #expect(unknown.status == 66 && unknown.errors.contains("No ready file"))
        #expect(try await forget("nothing").status == 64)
        let run = try await forget(made.name)
        #expect(run.status == 0 && run.output == "\(made.name)\n", "\(run.errors)")
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            let status = try await sidecar.get(made.path).status
            #expect(status == 410)
        }
    }
}
