import Base
import Files
import Foundation
import Glibc
import Payloads
import Storage
import Support
import Testing

@Suite("Ready files through nginx, by the samples", .timeLimit(.minutes(10)))
struct NginxHandoverTests {
    private static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") && geteuid() == 0

    /// The samples: nginx reads the files that attachd names, or keeps the files that attachd sends for seconds.
    enum Sample: String, CaseIterable {
        case attachd
        case cached = "attachd-cached"

        var options: [String] {
            self == .cached ? [] : ["--accel-redirect", "nginx:/ready", "--store-group", "www-data"]
        }
        var file: URL {
            URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Samples/deploy/nginx/\(rawValue).conf").standardized
        }
    }

    private let attachd: AttachdProgram
    private let origin: OriginServer

    init() throws {
        attachd = try AttachdProgram()
        let photo = SampleMedia.photo
        origin = try OriginServer { _ in .body(photo) }
    }

    /// Starts nginx with a sample as its own user `www-data`, in front of `sidecar`.
    private func startNginx(_ sidecar: RunningSidecar, _ sample: Sample) async throws -> Nginx {
        let port = try TestPort.free()
        let folder = attachd.folder.url.appending(path: "nginx")
        let site = try String(contentsOf: sample.file, encoding: .utf8)
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(sidecar.port)")
            .replacing("listen 443 ssl;", with: "listen 127.0.0.1:\(port);")
            .replacing(/[ ]+ssl_certificate[^\n]*\n/, with: "")
            .replacing("/var/lib/attachd/", with: "\(attachd.store)/")
            .replacing("/var/cache/attachd-links", with: "\(folder.path)/links")
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

    /// Has attachd and nginx deliver a photo by a sample. `body` gets nginx, the sidecar and the photo's path.
    private func run(
        _ sample: Sample,
        _ body: (_ nginx: Nginx, _ sidecar: RunningSidecar, _ path: String) async throws -> Void,
    ) async throws {
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, ["--public-url", "https://push.example"] + sample.options) { sidecar in
            let result = try JSONValue(parsing: try await sidecar.post(origin.url("/photo.jpg")).body)
            let url = try #require(result.value(at: try JSONPointer("/attachments/0/url"))?.text)
            let nginx = try await startNginx(sidecar, sample)
            defer { nginx.stop() }
            try await body(nginx, sidecar, String(url.dropFirst("https://push.example".count)))
        }
    }

    /// Returns the name of the file that a path leads to.
    private func name(in path: String) throws -> String {
        String(try #require(path.firstMatch(of: /[a-z0-9]{26}\.jpg/)).output)
    }

    /// Returns the path of the same file until a second, as attachd signs it.
    private func path(_ path: String, until expires: Int) throws -> String {
        let keys = try SigningKeys(reading: SecretFile("\(attachd.store)/signing.key"))
        let identifier = try #require(AttachmentIdentifier(try name(in: path)))
        return AttachmentURLs(publicURL: "", signer: URLSigner(keys: keys)).url(of: identifier, expires: expires)
    }

    @Test(
        "a phone gets the file, its parts and its conditions from nginx, and nothing without a valid link",
        .enabled(if: isThere, "nginx is not installed, or this is not root"),
        arguments: Sample.allCases,
    )
    func delivers(sample: Sample) async throws {
        try await run(sample) { nginx, sidecar, path in
            let whole = try await nginx.send(path)
            let name = try name(in: path)
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
            #expect(try await nginx.send("/v1/attachments/\(name)").status == 403)
            #expect(try await nginx.send(self.path(path, until: UnixTime.now.seconds - 1)).status == 403)
            let other = (name.hasPrefix("a") ? "b" : "a") + name.dropFirst()
            #expect(try await nginx.send(path.replacing(name, with: other)).status == 403)
            #expect(try await nginx.send("DELETE", path).status == 403)
            #expect(try await nginx.send(path).body == Array(stored))
            guard sample == .attachd else { return }
            // attachd itself names only the location.
            let ours = try await sidecar.send(path)
            #expect(ours.headers["x-accel-redirect"] == "/ready/\(name)" && ours.body.isEmpty)
        }
    }

    @Test(
        "nginx keeps a file for seconds, not longer than its link, and asks attachd again",
        .enabled(if: isThere, "nginx is not installed, or this is not root")
    )
    func keeps() async throws {
        try await run(.cached) { nginx, sidecar, path in
            func answers() async throws -> Int {
                let metrics = try await sidecar.get("/metrics").text
                let line = metrics.firstMatch(of: /attachd_http_requests_total.*attachments.*status="200"\} ([0-9]+)/)
                return Int(try #require(line).1) ?? 0
            }
            for _ in 0..<200 { #expect(try await nginx.send(path).status == 200) }
            #expect((2..<100).contains(try await answers()))

            // Longer than nginx keeps a file, so that it asks again while less than that is left.
            let end = UnixTime.now.seconds + 8
            let ending = try self.path(path, until: end)
            var status: Int
            var isOver: Bool
            repeat {
                isOver = UnixTime.now.seconds >= end
                status = try await nginx.send(ending).status
            } while !isOver
            #expect(status == 403)

            let removed = try await sidecar.send("DELETE", "/v1/attachments/\(name(in: path))")
            #expect(removed.status == 200)
            try await eventually { try await nginx.send(path).status == 410 }
        }
    }

    @Test(
        "nginx reads the ready files, and nothing else of the store",
        .enabled(if: isThere, "nginx is not installed, or this is not root")
    )
    func rights() async throws {
        try await run(.attachd) { _, _, _ in
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
