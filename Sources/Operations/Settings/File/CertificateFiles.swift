import HTTPClient
import Files
import Foundation
import NIOSSL
import Values

/// The PEM files of a client certificate and of its key.
struct CertificateFiles: Sendable {
    /// The reason why the files cannot be used, and what to do.
    struct ReadError: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    /// The path of the file with the certificate, and with those that lead to its authority.
    let certificate: String
    let key: SecretFile

    private static let byteLimit = 1_000_000

    /// Reads both files. Throws if they are not a certificate and its key.
    func read() throws(ReadError) -> ClientCertificate {
        guard let data = FileManager.default.contents(atPath: certificate), data.count <= Self.byteLimit else {
            throw ReadError(description: "\(certificate) cannot be read. Check the file's name and mode.")
        }
        let keyText: String
        do throws(FileError) {
            keyText = try key.read()
        } catch {
            throw ReadError(description: error.reasonOfSetting)
        }
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes([UInt8](data))
        } catch {
            throw ReadError(description: "\(certificate) has no certificate in PEM form.")
        }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(bytes: Array(keyText.utf8), format: .pem)
        } catch {
            throw ReadError(description: "\(key.path) has no private key in PEM form without a password.")
        }
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.certificateChain = chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(privateKey)
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ReadError(description: "\(key.path) is not the key of the certificate in \(certificate).")
        }
        return ClientCertificate(chain: String(decoding: data, as: UTF8.self), key: Secret(keyText))
    }
}
