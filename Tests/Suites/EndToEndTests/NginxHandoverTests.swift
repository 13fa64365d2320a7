import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("Ready files through nginx, by the sample", .timeLimit(.minutes(10)))
struct NginxHandoverTests {
    private static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") && geteuid() == 0
    private static let sample = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Samples/deploy/nginx/attachd.conf").standardized

    private let attachd: AttachdProgram
    private let origin: OriginServer

    init() throws {
        attachd = try AttachdProgram()
        let photo = SampleMedia.photo
        origin = try OriginServer { _ in .body(photo) }
    }

    /// Starts nginx with the sample as its own user `www-data`, in front of `sidecar`.
    private func startNginx(_ sidecar: RunningSidecar) async throws -> Nginx {
        let port = try TestPort.free()
        let site = try String(contentsOf: Self.sample, encoding: .utf8)
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(sidecar.port)")
            .replacing("listen 443 ssl;", with: "listen 127.0.0.1:\(port);")
            .replacing(/[ ]+ssl_certificate[^\n]*\n/, with: "")
            .replacing("/var/lib/attachd/", with: "\(attachd.store)/")
        let folder = attachd.folder.url.appending(path: "nginx")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let main = """
            user www-data; worker_processes 1; daemon off; pid \(folder.path)/pid; error_log \(folder.path)/error.log;
            events {}
            http {
                access_log off; client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                \(site)
            }
            """
        let file = folder.appending(path: "nginx.conf")
        try Data(main.utf8).write(to: file)
        let program = try ChildProgram(["/usr/sbin/nginx", "-p", folder.path, "-c", file.path], in: folder)
        let nginx = Nginx(port: port, program: program)
        try await eventually { (try? await nginx.send("/")) != nil }
        return nginx
    }

    private struct Nginx: LocalServer {
        let port: Int
        let program: ChildProgram

        /// Ends the master and, with it, its workers.
        func stop() {
            program.terminate()
            _ = program.wait()
        }
    }

    /// Has `options` and nginx deliver a photo. `body` gets nginx, the sidecar and the photo's path.
    private func run(_ body: (_ nginx: Nginx, _ sidecar: RunningSidecar, _ path: String) async throws -> Void)
        async throws
    {
        defer { origin.stop() }
        let options = [
            "--public-url", "https://push.example", "--accel-redirect", "nginx:/ready", "--store-group", "www-data",
        ]
        try await RunningSidecar.run(attachd, options) { sidecar in
            let result = try JSONValue(parsing: try await sidecar.post(origin.url("/photo.jpg")).body)
            let url = try #require(result.value(at: try JSONPointer("/attachments/0/url"))?.text)
            let nginx = try await startNginx(sidecar)
            defer { nginx.stop() }
            try await body(nginx, sidecar, String(url.dropFirst("https://push.example".count)))
        }
    }

    @Test(
        "a phone gets the file, its parts and its conditions from nginx, and nothing without a valid link",
        .enabled(if: isThere, "nginx is not installed, or this is not root")
    )
    func delivers() async throws {
        try await run { nginx, sidecar, path in
            let whole = try await nginx.send(path)
            let name = try #require(path.firstMatch(of: /[a-z0-9]{20,}\.jpg/)).output
            let stored = try Data(contentsOf: URL(filePath: "\(attachd.store)/attachments/\(name)"))
            #expect(whole.status == 200 && whole.body == Array(stored))
            #expect(whole.headers["content-type"] == "image/jpeg")
            #expect(whole.headers["cache-control"]?.hasPrefix("public, max-age=") == true)
            #expect(whole.headers["content-disposition"]?.contains(name) == true)
            #expect(whole.headers["x-content-type-options"] == "nosniff" && whole.headers["x-accel-redirect"] == nil)

            let part = try await nginx.send(path, headers: ["Range": "bytes=10-19"])
            #expect(part.status == 206 && part.body == Array(stored[10..<20]))
            let head = try await nginx.send("HEAD", path)
            #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "\(stored.count)")
            let tag = try #require(whole.headers["etag"])
            #expect(try await nginx.send(path, headers: ["If-None-Match": tag]).status == 304)
            let date = try #require(whole.headers["last-modified"])
            #expect(try await nginx.send(path, headers: ["If-Modified-Since": date]).status == 304)

            #expect(try await nginx.send("/ready/\(name)").status == 404)
            #expect(try await nginx.send(String(path.dropLast(1)) + (path.hasSuffix("A") ? "B" : "A")).status == 403)
            #expect(try await nginx.send("DELETE", path).status == 403)
            // attachd itself names only the location.
            let ours = try await sidecar.send(path)
            #expect(ours.headers["x-accel-redirect"] == "/ready/\(name)" && ours.body.isEmpty)
        }
    }

    @Test(
        "nginx reads the ready files, and nothing else of the store",
        .enabled(if: isThere, "nginx is not installed, or this is not root")
    )
    func rights() async throws {
        try await run { _, _, _ in
            func mode(_ name: String) throws -> mode_t {
                var status = stat()
                try #require(unsafe lstat("\(attachd.store)/\(name)", &status) == 0)
                return status.st_mode & 0o777
            }
            #expect(try mode("") == 0o710 && mode("attachments") == 0o750)
            let ready = try FileManager.default.contentsOfDirectory(atPath: "\(attachd.store)/attachments")
            for name in ready { #expect(try mode("attachments/\(name)") == 0o640) }
            for name in try FileManager.default.contentsOfDirectory(atPath: attachd.store) where name != "attachments" {
                #expect(try mode(name) & 0o077 == 0, "\(name)")
            }
        }
    }
}
