import Base
import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("Ready attachments that phones fetch", .timeLimit(.minutes(10)))
struct PublishedAttachmentsTests {
    let attachd: AttachdProgram
    let photo = SampleMedia.photo
    static let publicURL = "https://push.example/media"
    static let options = ["--public-url", publicURL]

    init() throws { attachd = try AttachdProgram() }

    /// Returns the sidecar's path for the `url` that a phone fetches.
    private func path(_ url: String?) throws -> String {
        let url = try #require(url)
        try #require(url.hasPrefix(Self.publicURL + "/"), "\(url)")
        return String(url.dropFirst(Self.publicURL.count))
    }

    private func result(_ answer: HTTPClient.Answer) throws -> JSONValue { try JSONValue(parsing: answer.body) }

    @Test("the payload names a signed URL, which gives the measured file, even after a restart")
    func published() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        var published = ""
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            let result = try result(try await sidecar.post(origin.url("/photo.jpg")))
            let url = result.value(at: try JSONPointer("/attachments/0/url"))?.text
            #expect(result.value(at: try JSONPointer("/payload/my-attachment"))?.text == url)
            published = try path(url)
            #expect(
                published.wholeMatch(of: /\/v1\/attachments\/[a-z2-7]{26}\.jpg\?expires=\d{10}&signature=[\w-]{22}/)
                    != nil
            )
            let file = try await sidecar.get(published)
            #expect(file.status == 200 && file.headers["content-type"] == "image/jpeg")
            #expect(result.value(at: try JSONPointer("/attachments/0/bytes")) == .integer(file.body.count))
            #expect(try await sidecar.get(published + "x").status == 403)
            let metrics = try await sidecar.get("/metrics").text
            for line in [
                "attachd_stored_total 1\n", "attachd_store_files 1\n", "attachd_store_bytes \(file.body.count)\n",
                "attachd_http_requests_total{method=\"GET\",route=\"/v1/attachments/{identifier}\",status=\"403\"} 1\n",
            ] {
                #expect(metrics.contains(line), "\(line) \(metrics)")
            }
        }
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            let file = try await sidecar.get(published)
            #expect(file.status == 200 && !file.body.isEmpty)
        }
        #expect(attachd.leftovers == [])
    }

    @Test("a payload that would exceed its limit gets the short URL, which gives the same file")
    func short() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            func payload(_ filler: Int) -> [UInt8] {
                let text = String(repeating: "x", count: filler)
                let attachment = #""my-attachment":"\#(origin.url("/photo.jpg"))""#
                return Array(#"{"aps":{"mutable-content":1,"alert":"Hi"},\#(attachment),"filler":"\#(text)"}"#.utf8)
            }
            func rewrite(_ filler: Int) async throws -> (url: String?, byteCount: Int) {
                let answer = try await sidecar.send("POST", "/v1/rewrite", body: payload(filler))
                return (try JSONValue(parsing: answer.body)["my-attachment"]?.text, answer.body.count)
            }
            let roomy = try await rewrite(3000)
            let unlisted = try await rewrite(3800)
            let (long, short) = (try path(roomy.url), try path(unlisted.url))
            #expect(long.hasPrefix("/v1/attachments/"))
            // A payload that is slightly too large with the long URL fits with the short one.
            let room = 4096 - unlisted.byteCount
            let full = try await rewrite(3800 + room + 1)
            #expect(short.hasPrefix("/v1/attachments/") && full.byteCount <= 4096)
            let shortest = try path(full.url)
            #expect(shortest.hasPrefix("/a/") && shortest.count < short.count)
            let files = (try await sidecar.get(shortest), try await sidecar.get(long))
            #expect(files.0.status == 200 && files.0.body == files.1.body)
        }
    }

    @Test("an attachment larger than the whole quota is delivered original, with an error that says what to do")
    func quota() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, Self.options + ["--quota", "10kB"]) { sidecar in
            let result = try result(try await sidecar.post(origin.url("/photo.jpg")))
            #expect(result["outcome"]?.text == "original")
            #expect(result.value(at: try JSONPointer("/errors/0/code")) == .integer(104))
            #expect(result.value(at: try JSONPointer("/errors/0/reason"))?.text == "storeFull")
            #expect(result.value(at: try JSONPointer("/errors/0/message"))?.text?.contains("--quota") == true)
            #expect(try await sidecar.get("/readyz").status == 200)
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains("attachd_store_failures_total{reason=\"full\"} 1\n"))
        }
    }

    @Test(
        "while the disk is full, contents are delivered original, and once there is space, complete again",
        .enabled(if: geteuid() == 0, "needs root")
    )
    func fullDisk() async throws {
        let disk = attachd.folder.url.appending(path: "store")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        let mounted = unsafe mount("tmpfs", disk.path, "tmpfs", 0, "size=8m")
        guard mounted == 0 else { try Test.cancel("a tmpfs cannot be mounted here") }
        defer { unsafe umount2(disk.path, Int32(MNT_DETACH)) }
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, Self.options) { sidecar in
            let others = disk.appending(path: "others")
            let space = try FileManager.default.attributesOfFileSystem(forPath: disk.path)[.systemFreeSize] as? Int
            // A twentieth of the disk must stay free; half of that is left.
            try Data(count: try #require(space) - 200_000).write(to: others)
            let full = try result(try await sidecar.post(origin.url("/photo.jpg")))
            #expect(full["outcome"]?.text == "original")
            #expect(full.value(at: try JSONPointer("/errors/0/reason"))?.text == "storeFull")
            #expect(full.value(at: try JSONPointer("/payload/my-attachment"))?.text == origin.url("/photo.jpg"))
            try FileManager.default.removeItem(at: others)
            let again = try result(try await sidecar.post(origin.url("/photo.jpg")))
            #expect(again["outcome"]?.text == "complete")
        }
        #expect(attachd.leftovers == [])
    }

    @Test("the store's key is made once, for its owner only; other keys come from a file, two of them during a change")
    func keys() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let key = String(repeating: "k", count: 32)
        let old = try attachd.folder.write("\(key)\n", to: "old")
        let new = try attachd.folder.write("\(String(repeating: "n", count: 32))\n\(key)\n", to: "new")
        var published = ""
        try await RunningSidecar.run(attachd, Self.options + ["--signing-key-file", old]) { sidecar in
            let result = try result(try await sidecar.post(origin.url("/photo.jpg")))
            published = try path(result.value(at: try JSONPointer("/attachments/0/url"))?.text)
        }
        for (options, status) in [(["--signing-key-file", new], 200), ([], 403)] {
            try await RunningSidecar.run(attachd, Self.options + options) { sidecar in
                let file = try await sidecar.get(published)
                #expect(file.status == status)
            }
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(attachd.store)/signing.key")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
