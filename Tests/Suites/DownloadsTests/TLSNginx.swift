import Foundation
import Support

/// An nginx with HTTP/2 over TLS, on a free port of loopback.
final class TLSNginx: Sendable {
    let port: Int
    /// The path of the authority to trust, in PEM form.
    let authoritiesFile: String
    private let folder: TemporaryFolder
    private let program: ChildProgram

    init(files: [String: [UInt8]]) async throws {
        folder = try TemporaryFolder()
        let path = folder.path
        authoritiesFile = "\(path)/\(TestCertificate.certificate)"
        try TestCertificate.make(in: folder.url)
        for (name, bytes) in files { try Data(bytes).write(to: folder.url.appending(path: name)) }
        let free = try OriginServer { _ in .empty }
        port = free.port
        free.stop()
        let configuration = """
            daemon off; master_process off; pid \(path)/pid; error_log \(path)/error.log;
            events { worker_connections 64; }
            http {
                log_format protocol "$server_protocol"; access_log \(path)/access.log protocol; max_ranges 0;
                client_body_temp_path \(path)/body; proxy_temp_path \(path)/proxy; fastcgi_temp_path \(path)/fastcgi;
                uwsgi_temp_path \(path)/uwsgi; scgi_temp_path \(path)/scgi;
                ssl_certificate \(authoritiesFile); ssl_certificate_key \(path)/\(TestCertificate.key);
                server { listen 127.0.0.1:\(port) ssl http2; root \(path); }
            }
            """
        try Data(configuration.utf8).write(to: folder.url.appending(path: "nginx.conf"))
        let command = ["/usr/sbin/nginx", "-p", path, "-c", "\(path)/nginx.conf"]
        program = try ChildProgram(command, in: folder.url, errors: "\(path)/errors")
        // nginx listens once its process has a number. A test's time limit ends the wait if that never comes.
        while !FileManager.default.fileExists(atPath: "\(path)/pid") { try Task.checkCancellation() }
    }

    func url(_ name: String) -> String { "https://127.0.0.1:\(port)/\(name)" }

    /// The protocols of the finished requests.
    var protocols: Set<Substring> {
        let log = (try? String(contentsOfFile: folder.url.appending(path: "access.log").path, encoding: .utf8)) ?? ""
        return Set(log.split(separator: "\n").map { $0[...] })
    }

    func stop() { program.kill() }
}
