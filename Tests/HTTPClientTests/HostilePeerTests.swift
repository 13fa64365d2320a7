import HTTPClient
import Support
import Testing
import Timing

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
        "while a server floods, another site's answers",
        arguments: [
            .helloRequests, .oneByteChunks, .promisedEnd, .interimAnswers, .smallHeaders, .drippingHead, .trailers,
        ] as [AttackServer.Attack]
    )
    func otherSites(attack: AttackServer.Attack) async throws {
        let server = try AttackServer(attack, address: "127.5.1.1")
        try await expectHonestAnswer(beside: server.url) { await server.waitUntilBegun() }
    }

    @Test(
        "while a trusted server sends TLS messages without end, another site's answers",
        arguments: ["tickets", "key-updates", "renegotiation", "tiny-records"]
    )
    func otherSitesInsideTLS(attack: String) async throws {
        let server = try AdversaryProgram(attack)
        try await expectHonestAnswer(beside: server.url, trusting: server.authoritiesFile) {
            await server.waitUntilBegun()
        }
    }
}
