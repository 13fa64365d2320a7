import Base
import Foundation
import Payloads
import Support
import Testing

@Suite("Attachments in a bucket", .needsMoto, .timeLimit(.minutes(10)))
struct BucketTests {
    let moto: MotoServer
    let photo = SampleMedia.photo

    init() throws {
        moto = try MotoServer()
    }

    private var publicURL: String { "http://127.0.0.1:\(moto.port)/media/pushes" }

    /// Returns the program with the credentials of `user`.
    private func program(_ user: MotoServer.User) throws -> AttachdProgram {
        var attachd = try AttachdProgram()
        attachd.environment = [
            "AWS_ACCESS_KEY_ID": user.accessKeyID, "AWS_SECRET_ACCESS_KEY": user.secretAccessKey,
            "AWS_SESSION_TOKEN": user.sessionToken ?? "", "AWS_REGION": MotoServer.region,
        ]
        return attachd
    }

    private func options(_ style: String = "path") -> [String] {
        [
            "--public-url", publicURL, "--publish", "s3://\(MotoServer.bucket)/pushes", "--publish-style", style,
            "--publish-endpoint", "http://localhost:\(moto.port)",
        ]
    }

    private func result(_ answer: HTTPClient.Answer) throws -> JSONValue { try JSONValue(parsing: answer.body) }

    private func text(_ result: JSONValue, _ pointer: String) throws -> String? {
        result.value(at: try JSONPointer(pointer))?.text
    }

    @Test("the payload names the object, which was put once and has its header fields", arguments: ["path", "host"])
    func published(style: String) async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let attachd = try program(style == "path" ? moto.writer : moto.lent)
        try await RunningSidecar.run(attachd, options(style) + ["--keep", "2h"]) { sidecar in
            let result = try result(try await sidecar.post(origin.url("/photo.jpg")))
            #expect(result["outcome"]?.text == "complete", "\(result.compactText)")
            let url = try #require(try text(result, "/payload/my-attachment"))
            try #require(url.hasPrefix("\(publicURL)/"))
            #expect(url.dropFirst(publicURL.count).wholeMatch(of: /\/[a-z2-7]{26}\.jpg/) != nil)
            let object = try await moto.object("pushes" + url.dropFirst(publicURL.count))
            #expect(object.status == 200 && object.headers["content-type"] == "image/jpeg")
            #expect(object.headers["cache-control"] == "public, max-age=7200, immutable")
            #expect(object.headers["x-amz-content-sha256"] == (try text(result, "/attachments/0/sha256")))
            let bytes = result.value(at: try JSONPointer("/attachments/0/bytes"))
            #expect(bytes == .integer(object.body.count))
            #expect(try await self.result(sidecar.post(origin.url("/same.jpg")))["outcome"]?.text == "complete")
            let metrics = try await sidecar.get("/metrics").text
            for line in [
                "attachd_published_total 1\n", "attachd_publish_reused_total 1\n", "attachd_bucket_available 1\n",
            ] {
                #expect(metrics.contains(line), "\(line) \(metrics)")
            }
            #expect(try await sidecar.get("/readyz").text == "ready\n")
        }
        #expect(try await moto.keys().count == 1)
        #expect(attachd.leftovers == [])
    }

    @Test("an attachment that is taken back is removed from the bucket, too")
    func forgotten() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(try program(moto.writer), options()) { sidecar in
            let result = try result(try await sidecar.post(origin.url("/photo.jpg")))
            let name = try #require(try text(result, "/payload/my-attachment")?.split(separator: "/").last)
            #expect(try await moto.keys().count == 1)
            let answer = try await sidecar.send("DELETE", "/v1/attachments/\(name)")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await moto.keys() == [])
        }
    }

    @Test("while the store hangs, contents go out original and on time, then at once; once it works, complete again")
    func hangs() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(try program(moto.writer), options()) { sidecar in
            moto.pause()
            try await eventually {
                let result = try result(try await sidecar.post(origin.url("/photo.jpg"), deadline: "2s"))
                #expect(result["outcome"]?.text == "original")
                #expect(try text(result, "/payload/my-attachment") == origin.url("/photo.jpg"))
                let reason = try text(result, "/errors/0/reason")
                // On a full machine the deadline may come first.
                #expect(["publishFailed", "timedOut"].contains(reason), "\(result.compactText)")
                let code = result.value(at: try JSONPointer("/errors/0/code"))
                #expect(code == (reason == "publishFailed" ? .integer(104) : .null), "\(result.compactText)")
                let margin = result.value(at: try JSONPointer("/margin"))?.double
                #expect(margin.map { $0 > 0 } == true)
                return try text(result, "/errors/0/message")?.contains("again and again") == true
            }
            // While the store is paused, downloads would be wasted, and the worker reports the problem.
            var number = 0
            try await eventually {
                number += 1
                let asked = origin.requests.count
                let other = try result(try await sidecar.post(origin.url("/\(number).jpg"), deadline: "2s"))
                #expect(other["outcome"]?.text == "original")
                let readiness = try await sidecar.get("/readyz")
                #expect(readiness.status == 200)
                let isAvailable = try await !sidecar.get("/metrics").text.contains("attachd_bucket_available 0\n")
                return origin.requests.count == asked && !isAvailable
                    && readiness.text.contains("The bucket media cannot be written to")
            }
            moto.resume()
            try await eventually {
                try result(try await sidecar.post(origin.url("/photo.jpg")))["outcome"]?.text == "complete"
            }
            #expect(try await sidecar.get("/readyz").text == "ready\n")
        }
    }

    @Test("doctor tries the bucket, and explains a failure and its remedy")
    func doctor() async throws {
        let good = try program(moto.writer)
        let healthy = try await good.run(["doctor", "--store", good.store] + options())
        #expect(healthy.status == 0, "\(healthy.output)")
        #expect(healthy.output.contains("an object was uploaded and deleted"))
        let bad = try program(moto.reader)
        let ill = try await bad.run(["doctor", "--store", bad.store] + options())
        #expect(ill.status == 1 && ill.output.contains("s3:PutObject"), "\(ill.output)")
        #expect(!(ill.output + ill.errors).contains(moto.reader.secretAccessKey))
        #expect(try await moto.keys() == [])
    }

    @Test(
        "invalid settings are refused, and the message shows valid ones",
        arguments: [
            (["--publish", "s3://media"], "--public-url"),
            (["--publish", "media", "--public-url", "https://x.example"], "s3://BUCKET/PREFIX"),
            (["--publish", "s3://media", "--publish-style", "dns", "--public-url", "https://x.example"], "path, host"),
        ]
    )
    func refused(options: [String], words: String) async throws {
        let outcome = try await program(moto.writer).run(["doctor"] + options)
        #expect(outcome.status == 78 && outcome.errors.contains(words), "\(outcome.errors)")
        let nobody = try await AttachdProgram().run(
            ["doctor", "--publish", "s3://media", "--public-url", "https://x.example"]
        )
        #expect(nobody.status == 78 && nobody.errors.contains("AWS_ACCESS_KEY_ID"))
    }
}
