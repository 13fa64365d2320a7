package import Values

/// The parameters of AWS's Signature Version 4, which S3-compatible stores share. libcurl makes the signature.
///
/// libcurl 7.88 signs every header field of a message as it stands, and the path as it is in the URL, so both must have
/// the form that goes over the network. The message's `x-amz-content-sha256` must be the SHA-256 of the body, and its
/// `x-amz-security-token` the session token.
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

    /// The value of `CURLOPT_AWS_SIGV4`.
    var scope: String { "aws:amz:\(region):\(service)" }
}

extension SignatureV4 {
    /// The SHA-256 of an empty body.
    package static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// Creates the parameters of a signature for S3 with `credentials`.
    package init(_ credentials: BucketCredentials, region: String) {
        self.init(
            region: region,
            accessKeyID: credentials.accessKeyID,
            secretAccessKey: credentials.secretAccessKey,
        )
    }
}
