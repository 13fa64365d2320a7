package import Foundation

/// A new certificate that is its own authority.
package enum TestCertificate {
    package static let certificate = "authority.pem"
    package static let key = "key.pem"

    package static let names = "IP:127.0.0.1,DNS:origin.test"

    /// Writes the certificate and its key to `folder`, valid for `names`.
    package static func make(in folder: URL, names: String = names) throws {
        let maker = try ChildProgram(
            [
                "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "1", "-subj", "/CN=origin.test", "-addext", "subjectAltName=\(names)",
                "-keyout", key, "-out", certificate,
            ],
            in: folder,
        )
        guard maker.wait() == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Writes a certificate that was valid until yesterday, and its key, to `folder`.
    package static func makeExpired(in folder: URL) throws {
        let request = [
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=origin.test",
            "-keyout",
            key, "-out", "request.pem",
        ]
        let signing = [
            "x509", "-req", "-in", "request.pem", "-signkey", key, "-days", "-1", "-out", certificate,
        ]
        for arguments in [request, signing] {
            let maker = try ChildProgram(["/usr/bin/openssl"] + arguments, in: folder)
            guard maker.wait() == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
    }
}
