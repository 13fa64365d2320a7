package import Values

/// Signs a request by AWS's Signature Version 4, which S3-compatible stores have in common. libcurl makes the signature.
///
/// libcurl 7.88 signs every header field of a message as it stands, and the path as it is in the URL, so both have to be
/// in the form that goes over the network. The body's SHA-256 has to be the message's `x-amz-content-sha256`, and a
/// session token its `x-amz-security-token`.
package struct SignatureV4: Sendable {
    package var region: String
    package var service: String
    package var accessKeyID: String
    package var secretAccessKey: Secret<String>

    package init(region: String, service: String = "s3", accessKeyID: String, secretAccessKey: Secret<String>) {
        self.region = region
        self.service = service
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
    }

    /// What `CURLOPT_AWS_SIGV4` takes.
    var scope: String { "aws:amz:\(region):\(service)" }
}
