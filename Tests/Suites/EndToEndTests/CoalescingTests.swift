import Base
import Foundation
import Payloads
import Support
import Synchronization
import Testing

@Suite("Each attachment is made once", .timeLimit(.minutes(10)))
struct CoalescingTests {
    let attachd: AttachdProgram
    let photo = SampleMedia.photo

    init() throws { attachd = try AttachdProgram() }

    /// Starts an origin that serves the photo with header fields.
    private func origin(_ fields: (String, String)...) throws -> OriginServer {
        try OriginServer { [photo] _ in
            var answer = OriginAnswer.body(photo)
            answer.headers = fields.map { (name: $0.0, value: $0.1) }
            return answer
        }
    }

    /// Returns the result of the one attachment.
    private func attachment(_ answer: HTTPClient.Answer) throws -> JSONValue {
        let result = try JSONValue(parsing: answer.body)
        #expect(result["outcome"]?.text == "complete", "\(answer.text)")
        return try #require(result.value(at: try JSONPointer("/attachments/0")))
    }

    private func metric(_ name: String, _ sidecar: RunningSidecar) async throws -> Int? {
        let line = try await sidecar.get("/metrics").text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    @Test("fifty notifications at once with one picture cost one request and one file, and each has its own URL")
    func campaign() async throws {
        let reached = Signal()
        let release = DispatchSemaphore(value: 0)
        let origin = try OriginServer { [photo] _ in
            reached.send()
            release.wait()
            return .body(photo)
        }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, ["--public-url", "https://push.example"]) { sidecar in
            try await withThrowingTaskGroup(of: HTTPClient.Answer.self) { group in
                for _ in 0..<50 { group.addTask { try await sidecar.post(origin.url("/photo.jpg")) } }
                await reached.wait()
                try await eventually { try await metric("attachd_attachments_joined_total", sidecar) ?? 0 >= 49 }
                release.signal()
                var names: Set<String> = []
                for try await answer in group {
                    let url = try #require(try attachment(answer)["url"]?.text)
                    #expect(url.contains("&signature="))
                    names.insert(String(url.prefix { $0 != "?" }))
                }
                #expect(names.count == 1)
            }
            #expect(origin.requests.count == 1)
            #expect(try await metric("attachd_attachments_started_total", sidecar) == 1)
            #expect(try await metric("attachd_stored_total", sidecar) == 1)
            let again = try attachment(try await sidecar.post(origin.url("/photo.jpg")))
            #expect(again.value(at: try JSONPointer("/source/fetched")) == .integer(0))
            #expect(again.value(at: try JSONPointer("/source/bytes")) == .integer(photo.count))
            #expect(try await metric("attachd_attachments_reused_total", sidecar) == 1 && origin.requests.count == 1)
        }
        #expect(attachd.leftovers == [])
    }

    @Test("an origin that demands revalidation is asked each time, and answers with 304 while nothing has changed")
    func revalidated() async throws {
        let version = Mutex("\"one\"")
        let origin = try OriginServer { [photo] request in
            let tag = version.withLock { $0 }
            var answer = request.headers["if-none-match"] == tag ? OriginAnswer.status(304) : .body(photo)
            if answer.status == 304 { answer.framing = .none }
            answer.headers = [("ETag", tag), ("Cache-Control", "no-cache")]
            return answer
        }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            let first = try attachment(try await sidecar.post(origin.url("/photo.jpg")))
            let second = try attachment(try await sidecar.post(origin.url("/photo.jpg")))
            #expect(first["sha256"] == second["sha256"] && first["url"] == second["url"])
            #expect(second.value(at: try JSONPointer("/source/fetched")) == .integer(0))
            version.withLock { $0 = "\"two\"" }
            let third = try attachment(try await sidecar.post(origin.url("/photo.jpg")))
            #expect(third.value(at: try JSONPointer("/source/fetched")) == .integer(photo.count))
            #expect(origin.requests.map { $0.headers["if-none-match"] } == [nil, "\"one\"", "\"one\""])
            #expect(try await metric("attachd_attachments_revalidated_total", sidecar) == 1)
        }
    }

    @Test(
        "a private answer, or one that must not be stored, is fetched for each notification",
        arguments: [
            "private, max-age=600", "no-store",
        ]
    )
    func own(control: String) async throws {
        let origin = try origin(("Cache-Control", control), ("ETag", "\"one\""))
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            async let first = sidecar.post(origin.url("/photo.jpg"))
            async let second = sidecar.post(origin.url("/photo.jpg"))
            for answer in try await [first, second, sidecar.post(origin.url("/photo.jpg"))] {
                let fetched = try attachment(answer).value(at: try JSONPointer("/source/fetched"))
                #expect(fetched == .integer(photo.count))
            }
            #expect(origin.requests.count == 3)
            #expect(origin.requests.allSatisfy { $0.headers["if-none-match"] == nil })
        }
    }

    @Test("--reuse 0 reuses nothing")
    func off() async throws {
        let origin = try origin(("Cache-Control", "max-age=600"))
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, ["--reuse", "0"]) { sidecar in
            for _ in 0..<2 { _ = try attachment(try await sidecar.post(origin.url("/photo.jpg"))) }
            #expect(origin.requests.count == 2)
        }
    }

    @Test("URLs that differ only by a signature are one source if the configuration says so")
    func mapped() async throws {
        let origin = try origin()
        defer { origin.stop() }
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        let rule = "sources: {cdn: {match: \"\(origin.url("/*"))\", ignoreQuery: [X-Amz-*, token]}}\nreuse: 30s\n"
        try Data(rule.utf8).write(to: file)
        try await RunningSidecar.run(attachd, ["--config", file.path]) { sidecar in
            for query in ["X-Amz-Date=1&w=9&token=2", "w=9&token=3&X-Amz-Date=4", "w=8&token=3"] {
                let attachment = try attachment(try await sidecar.post(origin.url("/photo.jpg?\(query)")))
                #expect(
                    attachment.value(at: try JSONPointer("/source/url"))?.text == origin.url("/photo.jpg?\(query)")
                )
            }
            #expect(origin.requests.map(\.path) == ["/photo.jpg?X-Amz-Date=1&w=9&token=2", "/photo.jpg?w=8&token=3"])
        }
    }

    @Test("a file that was deleted from the store is made again")
    func gone() async throws {
        let origin = try origin()
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            let first = try attachment(try await sidecar.post(origin.url("/photo.jpg")))
            let file = try #require(URL(string: first["url"]?.text ?? ""))
            try FileManager.default.removeItem(at: file)
            // The store checks a file once a second.
            var second = first
            repeat {
                second = try attachment(try await sidecar.post(origin.url("/photo.jpg")))
            } while second.value(at: try JSONPointer("/source/fetched")) == .integer(0)
            #expect(FileManager.default.fileExists(atPath: file.path) && origin.requests.count == 2)
        }
    }

    @Test(
        "invalid settings are refused",
        arguments: [
            ("reuse: soon", "reuse"), ("reuse: 48h", "reuse"),
            ("sources: {a: {match: \"https://x/*\"}}", "ignoreQuery"),
            ("sources: {a: {match: \"https://x/*\", tenantSegment: 0}}", "tenantSegment"),
            ("sources: {a: {match: \"https://x/*\", awaitMissing: soon}}", "awaitMissing"),
            ("sources: {a: {match: \"https://x/*\", awaitMissing: 301s}}", "awaitMissing"),
            ("sources: {a: {match: \"x/*\", ignoreQuery: [b]}}", "match"),
            ("sources: {a: {match: \"https://x/?*\", ignoreQuery: [b]}}", "match"),
            ("sources: {a: {match: \"https://x/*\", ignoreQuery: [b], path: c}}", "path"),
        ],
    )
    func refused(configuration: String, key: String) async throws {
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        try Data("\(configuration)\n".utf8).write(to: file)
        let outcome = try await attachd.run(["process", "--config", file.path], input: Array("{}".utf8))
        #expect(outcome.status == 78 && outcome.errors.contains(key), "\(outcome.errors)")
    }
}
