import Base
import HTTPClient
import Media
import Support
import Testing

/// SECURITY N15: an origin chooses the parameters of DHE, and a group of 10,000 bits costs seconds in one call, which no
/// socket ends.
@Suite("The key exchange", .serialized, .timeLimit(.minutes(10)))
struct KeyExchangeTests {
    private func answer(_ arguments: [String]) async throws -> Result<MessageAnswer, AttachmentFailure> {
        let origin = try TLSOrigin(["/a": .body([1], type: "image/png")], arguments: arguments)
        var settings = HTTPSettings()
        settings.addresses.allowed = [try CIDR("127.0.0.0/8")]
        settings.authoritiesFile = origin.authoritiesFile
        settings.connectTimeout = .seconds(540)
        let client = HTTPClient(settings: settings)
        let message = OutgoingMessage(.get, headers: [:])
        do throws(AttachmentFailure) {
            return .success(
                try await client.send(message, to: origin.url("/a"), until: SystemTime().now + .seconds(30))
            )
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "over elliptic curves of a bounded price is taken",
        arguments: ["X25519", "P-256", "P-384"],
        ["-tls1_2", "-tls1_3"]
    )
    func taken(curve: String, version: String) async throws {
        #expect(try await answer(["-groups", curve, version]).get().body == [1])
    }

    @Test(
        "by any other means is refused",
        arguments: [
            ["-tls1_2", "-cipher", "DHE"], ["-tls1_2", "-cipher", "kRSA"], ["-tls1_3", "-groups", "ffdhe2048"],
            ["-tls1_3", "-groups", "P-521"], ["-tls1_3", "-groups", "X448"],
        ]
    )
    func refused(arguments: [String]) async throws {
        guard case .failure(let failure) = try await answer(arguments) else {
            Issue.record("The handshake succeeded.")
            return
        }
        #expect(failure.reason == .tlsFailed)
    }
}
