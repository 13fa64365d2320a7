import Foundation
import Glibc
import Support

/// An nginx that serves one folder on loopback, as a reference for a file server's answers.
final class NginxServer: LocalServer, Sendable {
    static let path = "/usr/sbin/nginx"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    let port: Int
    private let folder: TemporaryFolder
    private let program: ChildProgram

    /// Returns the configuration. `if_modified_since before` follows RFC 9110; nginx's default compares for equality.
    private static func configuration(_ folder: String, _ root: String, _ port: Int) -> String {
        """
        daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
        events { worker_connections 64; }
        http {
            access_log off; types { image/jpeg jpg; video/mp4 mp4; }
            if_modified_since before; max_ranges 16;
            client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy; fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi; scgi_temp_path \(folder)/scgi;
            server { listen 127.0.0.1:\(port); root \(root); }
        }
        """
    }

    init(root: String) async throws {
        folder = try TemporaryFolder()
        port = try TestPort.free()
        let file = folder.url.appending(path: "nginx.conf")
        try Data(Self.configuration(folder.path, root, port).utf8).write(to: file)
        program = try ChildProgram([Self.path, "-p", folder.path, "-c", file.path], in: folder.url)
        // nginx is ready once it answers. A test's time limit ends the wait if it never does.
        try await eventually { (try? await HTTPClient.send(path: "/", port: port)) != nil }
    }

    func stop() { program.kill() }
}
