package import Base
package import Files
import FoundationEssentials
import HTTPClient
import Media
import NIOSSL

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
        guard let chain = try? NIOSSLCertificate.fromPEMBytes([UInt8](data)) else {
            throw ReadError(description: "\(certificate) has no certificate in PEM form.")
        }
        guard let privateKey = try? NIOSSLPrivateKey(bytes: Array(keyText.utf8), format: .pem) else {
            throw ReadError(description: "\(key.path) has no private key in PEM form without a password.")
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(privateKey)
        guard (try? NIOSSLContext(configuration: configuration)) != nil else {
            throw ReadError(description: "\(key.path) is not the key of the certificate in \(certificate).")
        }
        return ClientCertificate(chain: String(decoding: data, as: UTF8.self), key: Secret(keyText))
    }
}

// MARK: - Tokens

/// The API token that HTTP clients send: the first line of the token file.
package enum APIToken {
    /// Returns `nil` unless the first line of `text` is a token of at least 16 characters.
    static func parse(_ text: String) -> Secret<String>? {
        text.split(whereSeparator: \.isNewline).first.flatMap { $0.count >= 16 ? Secret(String($0)) : nil }
    }

    package static func read(_ file: SecretFile) throws(SettingsError) -> Secret<String> {
        let setting = Settings.table.apiTokenFile
        let text = try setting.reading { () throws(FileError) in try file.read() }
        guard let token = parse(text) else {
            throw setting.refusal("\(file.path) must hold a token of at least 16 characters in one line.")
        }
        return token
    }
}

// MARK: - Secrets of sources

/// A file that a rule of `sources` takes a secret from. It is read again when it changes.
package struct SourceSecret: Sendable {
    /// The file's purpose, for the log.
    package let name: String
    package let file: SecretFile
    /// Reads the file again and applies its content. Returns `true` if the content is new, and throws if it is not valid.
    package let reload: @Sendable () throws -> Bool
}

/// The things outside a rule of `sources` that it needs: the file's folder, the variables, and the credentials.
struct SourceContext {
    /// The folder of the configuration file. Paths in the file are relative to it.
    var folder: URL
    var environment: Secret<[String: String]>
    /// A Boolean value that indicates whether the group of a file with secrets may read it.
    var isGroupReadable: Bool
    /// The region of buckets whose rule names none.
    var region: String
    /// Returns the credentials for buckets.
    var credentials: () throws(SettingsError) -> CredentialsSource

    func path(_ name: String) -> String { AbsolutePath.of(name, in: folder.path) }
}
