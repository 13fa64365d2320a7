import Base
import HTTPClient
import Support
import Testing

/// SECURITY N14 and N16. The floods take much of the machine, so this module's tests run by themselves.
@Suite("A hostile peer", .serialized, .timeLimit(.minutes(10)))
struct HostilePeerTests {
    private let body = [UInt8](repeating: 7, count: 200_000)

    /// Expects that an honest server of another site answers while a hostile one keeps eight requests busy, and that the
    /// hostile ones are over by their deadline.
    private func expectHonestAnswer(
        beside url: String,
        trusting authoritiesFile: String? = nil,
        after begin: () async -> Void,
    ) async throws {
        let origin = try OriginServer { [body] _ in .body(body, type: "image/jpeg") }
        defer { origin.stop() }
        var settings = HTTPSettings()
        settings.addresses.allowed = [try CIDR("127.0.0.0/8")]
        settings.authoritiesFile = authoritiesFile
        let client = HTTPClient(settings: settings)
        let deadline = SystemTime().now + .seconds(20)
        let hostile = (1...8).map { number in
            Task {
                _ = try? await client.send(OutgoingMessage(.get, headers: [:]), to: "\(url)?\(number)", until: deadline)
            }
        }
        await begin()
        let message = OutgoingMessage(.get, headers: [:])
        let answer = try await client.send(message, to: origin.url("/a.jpg"), until: SystemTime().now + .seconds(10))
        #expect(answer.status == 200 && answer.body == body)
        for request in hostile { request.cancel() }
        for request in hostile { await request.value }
    }

    @Test(
        "while a server floods, in HTTP or inside TLS, another site's answers",
        arguments: [
            "hello-requests", "one-byte-chunks", "promised-end", "interim", "small-headers", "dripping-head",
            "trailers",
            "tickets", "key-updates", "renegotiation", "tiny-records",
        ]
    )
    func otherSites(attack: String) async throws {
        let server = try AdversaryProgram(attack)
        // The others need no trust to do their worst.
        let isTrusted = ["tickets", "key-updates", "renegotiation", "tiny-records"].contains(attack)
        try await expectHonestAnswer(beside: server.url, trusting: isTrusted ? server.authoritiesFile : nil) {
            await server.waitUntilBegun()
        }
    }
}
