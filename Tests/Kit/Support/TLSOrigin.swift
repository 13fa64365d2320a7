import Foundation

/// An HTTPS origin on loopback: `openssl s_server` with a certificate of its own.
///
/// It serves one request at a time. The certificate is its own authority, and is valid for `127.0.0.1` and
/// `origin.test`.
package final class TLSOrigin {
    package let port: Int
    /// The path of the authority to trust, in PEM form.
    package let authoritiesFile: String
    private let folder: URL
    private let server: ChildProgram

    /// Starts the origin. `answers` are by path, such as `/a.png`; `arguments` are added to those of `openssl
    /// s_server`.
    package init(_ answers: [String: OriginAnswer], arguments: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-origin-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (path, answer) in answers {
            let message = answer.head + answer.pieces.joined()
            try Data(message).write(to: folder.appending(path: String(path.drop { $0 == "/" })))
        }
        authoritiesFile = folder.appending(path: TestCertificate.certificate).path
        try TestCertificate.make(in: folder)
        server = try ChildProgram(
            [
                "/usr/bin/openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", TestCertificate.certificate,
                "-key", TestCertificate.key, "-HTTP",
            ] + arguments,
            in: folder,
        )
        guard let port = try server.readLine(beginning: "ACCEPT ")?.split(separator: ":").last.flatMap({ Int($0) })
        else { throw CocoaError(.fileReadUnknown) }
        self.port = port
    }

    deinit {
        server.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    package func url(_ path: String, host: String = "127.0.0.1") -> String { "https://\(host):\(port)\(path)" }
}
