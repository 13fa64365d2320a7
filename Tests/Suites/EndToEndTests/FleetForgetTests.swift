import Foundation
import Payloads
import Support
import Testing

/// Deletion in a fleet (SECURITY D1): several workers with stores of their own, and one Redis.
@Suite(
    "attachd forget in a fleet",
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10))
)
struct FleetForgetTests {
    private static let publicURL = "https://push.example"
    private let photo = SampleMedia.photo

    /// The link to the only attachment of an answer; `nil` without one.
    private static func link(_ answer: HTTPClient.Answer) throws -> String? {
        let result = try JSONValue(parsing: answer.body)
        let url = result.value(at: try JSONPointer("/attachments/0/url"))?.text
        return url.map { String($0.dropFirst(publicURL.count)) }
    }

    private static func reason(_ answer: HTTPClient.Answer) throws -> String? {
        try JSONValue(parsing: answer.body).value(at: try JSONPointer("/errors/0/reason"))?.text
    }

    private static func encoded(_ url: String) -> String {
        url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? url
    }

    /// Starts a worker with a store of its own, and the signing key of the fleet.
    private func start(_ attachd: AttachdProgram, _ redis: RedisServer, _ key: String) throws -> RunningSidecar {
        let queue = "redis://127.0.0.1:\(redis.port)"
        return try RunningSidecar(
            attachd,
            ["--queue", queue, "--public-url", Self.publicURL, "--signing-key-file", key]
        )
    }

    @Test("holds for every worker, also for one that starts later, and by the time of the answer")
    func workers() async throws {
        let redis = try RedisServer()
        defer { redis.kill() }
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let folder = try TemporaryFolder()
        let key = try folder.write(String(repeating: "k", count: 40), to: "key", mode: 0o600)
        let programs = try (0..<3).map { _ in try AttachdProgram() }
        let (first, second) = (try start(programs[0], redis, key), try start(programs[1], redis, key))
        let url = origin.url("/photo.jpg")
        let links = [
            try #require(try Self.link(try await first.post(url))),
            try #require(try Self.link(try await second.post(url))),
        ]
        let path = "/v1/attachments?source=\(Self.encoded(url))"
        let answer = try await second.send("DELETE", path)
        #expect(answer.status == 200 && answer.text.contains(#""workers":2"#), "\(answer.text)")
        for (worker, link) in [(first, links[0]), (second, links[1]), (first, links[1])] {
            #expect(try await worker.get(link).status == 410)
        }
        let third = try start(programs[2], redis, key)
        for worker in [first, second, third] {
            let again = try await worker.post(url)
            #expect(try Self.reason(again) == "forgotten", "\(again.text)")
        }
        #expect(try await third.get(links[0]).status == 410)
        let repeated = try await first.send("DELETE", path)
        #expect(repeated.status == 200 && repeated.text.contains(#""workers":3"#), "\(repeated.text)")
        for worker in [first, second, third] { worker.terminate() }
        for worker in [first, second, third] { _ = worker.wait() }
        withExtendedLifetime(programs) {}
    }

    @Test("works from a machine that has only the queue's URL; what nobody knows is taken back all the same")
    func command() async throws {
        let redis = try RedisServer()
        defer { redis.kill() }
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let folder = try TemporaryFolder()
        let key = try folder.write(String(repeating: "k", count: 40), to: "key", mode: 0o600)
        let attachd = try AttachdProgram()
        let worker = try start(attachd, redis, key)
        let elsewhere = try AttachdProgram()
        func forget(_ reference: String) async throws -> AttachdProgram.Outcome {
            let queue = ["--queue", "redis://127.0.0.1:\(redis.port)", "--store", elsewhere.store]
            return try await elsewhere.run(["forget", reference] + queue)
        }
        let link = try #require(try Self.link(try await worker.post(origin.url("/photo.jpg"))))
        let known = try await forget(origin.url("/photo.jpg"))
        let name = link.split(separator: "?")[0].split(separator: "/").last ?? ""
        #expect(known.status == 0 && known.output == "\(name)\n", "\(known.output) \(known.errors)")
        #expect(try await worker.get(link).status == 410)
        let unknown = try await forget("https://example.com/nothing.jpg")
        #expect(unknown.status == 66 && unknown.errors.contains("taken back all the same"), "\(unknown.errors)")
        #expect(try await forget("https://example.com/nothing.jpg").status == 0)
        worker.terminate()
        _ = worker.wait()
        withExtendedLifetime(attachd) {}
    }

    @Test("a worker that cannot ask serves no earlier file, and makes each attachment anew, which it serves")
    func apart() async throws {
        let redis = try RedisServer()
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let folder = try TemporaryFolder()
        let key = try folder.write(String(repeating: "k", count: 40), to: "key", mode: 0o600)
        let attachd = try AttachdProgram()
        let worker = try start(attachd, redis, key)
        let before = try #require(try Self.link(try await worker.post(origin.url("/a.jpg"))))
        #expect(try await worker.get(before).status == 200)
        redis.kill()
        try await eventually { try await worker.get(before).status == 503 }
        let count = origin.requests.count
        let anew = try #require(try Self.link(try await worker.post(origin.url("/a.jpg"))))
        #expect(origin.requests.count == count + 1)
        #expect(try await worker.get(anew).status == 200)
        worker.terminate()
        _ = worker.wait()
        withExtendedLifetime(attachd) {}
    }
}
