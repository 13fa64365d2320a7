import Base
import Foundation
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Client certificates", .timeLimit(.minutes(10)))
struct ClientCertificateTests {
    private let folder: TemporaryFolder
    private let certificate: ClientCertificate

    init() throws {
        folder = try TemporaryFolder()
        try TestCertificate.make(in: folder.url)
        let (chain, key) = (TestCertificate.certificate, TestCertificate.key)
        certificate = ClientCertificate(
            chain: try String(contentsOf: folder.url.appending(path: chain), encoding: .utf8),
            key: Secret(try String(contentsOf: folder.url.appending(path: key), encoding: .utf8)),
        )
    }

    /// Starts an origin that wants a certificate.
    private func origin() throws -> TLSOrigin {
        let authority = folder.url.appending(path: TestCertificate.certificate).path
        return try TLSOrigin(
            ["/a.jpg": .body([1, 2])],
            arguments: ["-Verify", "1", "-verify_return_error", "-CAfile", authority],
        )
    }

    private func downloader(_ rule: AccessRule, _ origin: TLSOrigin) throws -> Downloader {
        var settings = try DownloadSettings.with(rule, opening: "127.0.0.1")
        settings.http.authoritiesFile = origin.authoritiesFile
        return Downloader(settings: settings)
    }

    @Test("an origin that wants a certificate gets the rule's, and only in the rule's place")
    func presented() async throws {
        let origin = try origin()
        let downloader = try downloader(AccessRule(origin.url("/"), certificate: certificate), origin)
        #expect(try await downloader.fetch(origin.url("/a.jpg")).bytes == [1, 2])
        let elsewhere = try self.downloader(AccessRule("https://media.example/", certificate: certificate), origin)
        let fetched = try await elsewhere.fetch(origin.url("/a.jpg"))
        #expect([.tlsFailed, .connectionFailed].contains(fetched.reason) && fetched.bytes.isEmpty)
    }

    @Test("a certificate of another authority is refused by the origin")
    func foreign() async throws {
        let origin = try origin()
        let other = try ClientCertificateTests()
        let downloader = try downloader(AccessRule(origin.url("/"), certificate: other.certificate), origin)
        let reason = try await downloader.fetch(origin.url("/a.jpg")).reason
        #expect([.tlsFailed, .connectionFailed].contains(reason))
    }

    @Test("a key that is not the certificate's fails, and does not reach the origin")
    func mismatch() async throws {
        let origin = try origin()
        let other = try ClientCertificateTests()
        let mixed = ClientCertificate(chain: certificate.chain, key: other.certificate.key)
        let downloader = try downloader(AccessRule(origin.url("/"), certificate: mixed), origin)
        #expect(try await downloader.fetch(origin.url("/a.jpg")).reason == .tlsFailed)
    }
}
