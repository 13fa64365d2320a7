import Base
import HTTPClient
import Media
import Testing

@Suite("Addresses of buckets")
struct BucketAddressTests {
    @Test(
        "a bucket's address gives the objects' location",
        arguments: [
            ("s3://media", nil, nil, "https://media.s3.eu-central-1.amazonaws.com/a.jpg"),
            ("s3://media/", nil, nil, "https://media.s3.eu-central-1.amazonaws.com/a.jpg"),
            ("s3://media/push", nil, nil, "https://media.s3.eu-central-1.amazonaws.com/push/a.jpg"),
            (
                "s3://media/push/2_0/", nil, BucketAddress.Style.path,
                "https://s3.eu-central-1.amazonaws.com/media/push/2_0/a.jpg"
            ),
            ("s3://media.example.com", nil, nil, "https://s3.eu-central-1.amazonaws.com/media.example.com/a.jpg"),
            ("s3://media", "http://10.0.0.7:9000", nil, "http://10.0.0.7:9000/media/a.jpg"),
            ("s3://media", "https://[fd00::7]:9000/", nil, "https://[fd00::7]:9000/media/a.jpg"),
            ("s3://media", "https://store.example", .host, "https://media.store.example/a.jpg"),
        ]
    )
    func url(text: String, endpoint: String?, style: BucketAddress.Style?, url: String) throws {
        let address = try BucketAddress(text, endpoint: endpoint, region: "eu-central-1", style: style)
        #expect(address.url(of: "a.jpg") == url)
    }

    @Test(
        "a malformed address is refused",
        arguments: [
            ("media", nil, "eu-central-1"), ("s3://", nil, "eu-central-1"), ("s3://Media", nil, "eu-central-1"),
            ("s3://me", nil, "eu-central-1"), ("s3://-media", nil, "eu-central-1"),
            ("s3://media//a", nil, "eu-central-1"), ("s3://media/../a", nil, "eu-central-1"),
            ("s3://media/a b", nil, "eu-central-1"), ("s3://media/a?b", nil, "eu-central-1"),
            ("s3://media", "store.example", "eu-central-1"), ("s3://media", "https://", "eu-central-1"),
            ("s3://media", "https://user@store.example", "eu-central-1"),
            ("s3://media", "https://store.example/path", "eu-central-1"),
            ("s3://media", nil, ""), ("s3://media", nil, "eu central"),
        ]
    )
    func refused(text: String, endpoint: String?, region: String) {
        #expect(throws: BucketAddress.ParseError.self) {
            try BucketAddress(text, endpoint: endpoint, region: region)
        }
    }

    @Test("a bucket is not a subdomain of an endpoint that is an IP address")
    func numeric() {
        #expect(throws: BucketAddress.ParseError.self) {
            try BucketAddress("s3://media", endpoint: "http://127.0.0.1:9000", style: .host)
        }
    }

    @Test("a description of credentials shows no secret")
    func secrets() {
        let credentials = BucketCredentials(
            accessKeyID: "AKIA1",
            secretAccessKey: Secret("wJalrXUt"),
            sessionToken: Secret("FwoGZXIv"),
        )
        var text = "\(credentials) \(String(reflecting: credentials))"
        dump(credentials, to: &text)
        #expect(text.contains("AKIA1") && !text.contains("wJalrXUt") && !text.contains("FwoGZXIv"))
    }
}
