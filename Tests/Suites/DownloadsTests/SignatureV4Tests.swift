import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

/// Tests with the examples of "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)" in
/// the reference of Amazon S3's API.
@Suite("Signatures of Amazon's own examples", .timeLimit(.minutes(10)))
struct SignatureV4Tests {
    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func authorization(
        _ action: OutgoingMessage.Action,
        _ path: String,
        _ headers: [String: String],
    ) async throws -> (text: String?, body: [UInt8]?) {
        let server = try OriginServer { _ in .empty }
        defer { server.stop() }
        var message = OutgoingMessage(action, headers: headers)
        message.headers["Host"] = "examplebucket.s3.amazonaws.com"
        message.headers["X-Amz-Date"] = "20130524T000000Z"
        message.signature = SignatureV4(
            region: "us-east-1",
            accessKeyID: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        )
        var settings = DownloadSettings.patient
        settings.http.addresses = .everywhere
        let downloader = Downloader(settings: settings)
        _ = try await downloader.client.send(message, to: server.url(path), until: SystemTime().now + .seconds(540))
        return (server.requests.first?.headers["authorization"], server.requests.first?.body)
    }

    @Test("a GET of a part of an object")
    func get() async throws {
        let headers = ["Range": "bytes=0-9", "X-Amz-Content-Sha256": Self.empty]
        let text = try #require(try await authorization(.get, "/test.txt", headers).text)
        #expect(text.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"))
        #expect(text.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date"))
        #expect(text.hasSuffix("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
    }

    @Test("a PUT of an object with a body, an escaped name and further header fields")
    func put() async throws {
        let headers = [
            "Date": "Fri, 24 May 2013 00:00:00 GMT",
            "X-Amz-Storage-Class": "REDUCED_REDUNDANCY",
            "X-Amz-Content-Sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
        ]
        let body = Array("Welcome to Amazon S3.".utf8)
        let sent = try await authorization(.put(.bytes(body)), "/test%24file.text", headers)
        let text = try #require(sent.text)
        #expect(text.contains("SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class"))
        #expect(text.hasSuffix("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
        #expect(sent.body == body)
    }
}
