import Base
import Foundation
import Media
import Payloads
import Storage
import Support
import Testing

@testable import Sidecar

@Suite("Ready files over HTTP", .timeLimit(.minutes(10)))
struct AttachmentsRouteTests {
    let folder: TemporaryFolder
    let store: AttachmentStore
    static let picture = [UInt8](repeating: 7, count: 5000)

    init() throws {
        folder = try TemporaryFolder()
        store = try AttachmentStore(at: folder.url.appending(path: "store").path)
    }

    private func get(_ path: String, _ sidecar: SidecarFixture, _ method: String = "GET") async throws
        -> HTTPClient.Answer
    {
        try await sidecar.send(method, path)
    }

    private func url(_ file: AttachmentStore.File) -> String {
        store.urls(below: "").url(of: file.identifier, expires: file.expires.seconds)
    }

    @Test("a signed URL, long or short, gives the file with its type and lifetime, and tells the client not to guess")
    func serves() async throws {
        let file = try await store.store(ReadyRung(Self.picture, format: .png))
        try await SidecarFixture.run(token: "0123456789abcdef", store: store) { sidecar in
            let short = store.urls(below: "").shortURL(of: file.identifier, expires: file.expires.seconds)
            for path in [url(file), short, url(file) + "&utm_source=push"] {
                let answer = try await get(path, sidecar)
                #expect(answer.status == 200 && answer.body == Self.picture)
                #expect(answer.headers["content-type"] == "image/png")
                #expect(answer.headers["content-length"] == "5000")
                #expect(answer.headers["content-disposition"] == "inline; filename=\"\(file.identifier)\"")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["etag"] == "\"\(file.identifier)\"")
                let cache = try #require(
                    answer.headers["cache-control"]?.wholeMatch(of: /public, max-age=(\d+), immutable/)
                )
                let seconds = try #require(Int(cache.1))
                #expect(seconds <= 24 * 3600)
            }
            let head = try await get(url(file), sidecar, "HEAD")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "5000")
        }
    }

    @Test(
        "a kept connection gets the same answer as one that closes",
        arguments: [1, 5000, 131_072, 131_073]
    )
    func keptConnection(size: Int) async throws {
        let file = try await store.store(ReadyRung([UInt8](repeating: 9, count: size), format: .gif))
        try await SidecarFixture.run(store: store) { sidecar in
            let short = store.urls(below: "").shortURL(of: file.identifier, expires: file.expires.seconds)
            let forged = String(url(file).dropLast()) + "!"
            let paths = [url(file), short, forged, "/v1/attachments/\(file.identifier)", "/livez", url(file)]
            let requests = paths.map { (method: "GET", path: $0, body: "") }
            let kept = try await HTTPClient.pipeline(requests, port: sidecar.port)
            #expect(kept.map(\.status) == [200, 200, 403, 403, 200, 200])
            for (path, answer) in zip(paths, kept) {
                let ended = try await get(path, sidecar)
                #expect(answer.body == ended.body)
                // Fields that change from one second to the next, or belong to the connection.
                let fleeting = ["date", "cache-control", "connection"]
                #expect(
                    answer.headers.filter { !fleeting.contains($0.key) }
                        == ended.headers.filter { !fleeting.contains($0.key) }
                )
                #expect(answer.headers["date"] != nil)
            }
        }
    }

    @Test("answers keep the order of their requests, however long the first one takes")
    func order() async throws {
        let file = try await store.store(ReadyRung(Self.picture))
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(started: started, hold: hold, store: store) { sidecar in
            let payload = #"{"aps":{"alert":"a","mutable-content":1},"my-attachment":"https://example.com/a.jpg"}"#
            let requests = [
                (method: "POST", path: "/v1/rewrite", body: payload), (method: "GET", path: url(file), body: ""),
                (method: "GET", path: url(file), body: "of no meaning"), (method: "GET", path: "/livez", body: ""),
            ]
            async let answers = HTTPClient.pipeline(requests, port: sidecar.port)
            await started.wait()
            // The files are ready, and must not be sent yet.
            hold.send()
            let seen = try await answers
            #expect(seen.map(\.status) == [200, 200, 200, 200])
            #expect(seen[0].headers["attachd-outcome"] == "complete")
            #expect(seen[1].body == Self.picture && seen[2].body == Self.picture)
        }
    }

    @Test(
        "a signature that is changed, of another file, for another time, or missing is always refused in the same way"
    )
    func forbidden() async throws {
        let file = try await store.store(ReadyRung(Self.picture))
        let other = try await store.store(ReadyRung([1]))
        let (path, query) = ("/v1/attachments/\(file.identifier)", String(url(file).split(separator: "?")[1]))
        let expires = file.expires.seconds
        let signature = String(query.suffix(22))
        let first = signature.first == "A" ? "B" : "A"
        let last = signature.last == "A" ? "B" : "A"
        let queries = [
            "", "?", "?expires=\(expires)", "?signature=\(signature)", "?expires=\(expires)&signature=",
            "?expires=\(expires)&signature=\(signature.dropLast())\(last)", "?\(query)A", "?\(query)=",
            "?expires=\(expires)&signature=\(first)\(signature.dropFirst())",
            "?expires=\(expires + 1)&signature=\(signature)",
            "?expires=0\(expires)&signature=\(signature)", "?expires=%2B\(expires)&signature=\(signature)",
            "?expires=+\(expires)&signature=\(signature)", "?expires=1&\(query)", "?\(query)&expires=\(expires)",
            "?\(url(other).split(separator: "?")[1])", "?expires=99999999999999999999&signature=\(signature)",
        ]
        try await SidecarFixture.run(store: store) { sidecar in
            let missing = "/v1/attachments/\(String(repeating: "a", count: 26)).jpg"
            let refusal = try await get(missing, sidecar)
            for request in queries.map({ path + $0 }) + ["/a/\(file.identifier)?\(query)"] {
                let answer = try await get(request, sidecar)
                #expect(answer.status == 403 && answer.body == refusal.body, "\(request)")
            }
            let head = try await get(path, sidecar, "HEAD")
            #expect(head.status == 403 && head.body.isEmpty)
            // A range makes no difference.
            let ranged = try await sidecar.send(path + queries[5], headers: ["Range": "bytes=0-0"])
            #expect(ranged.status == 403)
        }
    }

    @Test("a URL expires after its last second, and a signature of removed keys is refused")
    func expired() async throws {
        let file = try await store.store(ReadyRung(Self.picture))
        let (last, over) = (UnixTime(seconds: file.expires.seconds - 1), UnixTime(seconds: file.expires.seconds))
        try await SidecarFixture.run(store: store, now: { last }) { sidecar in
            let answer = try await get(url(file), sidecar)
            #expect(answer.status == 200 && answer.headers["cache-control"] == "public, max-age=1, immutable")
        }
        try await SidecarFixture.run(store: store, now: { over }) { sidecar in
            let answer = try await get(url(file), sidecar)
            #expect(answer.status == 403)
        }
        let keys = try #require(SigningKeys("0123456789abcdefghijklmnopqrstuv"))
        let rotated = try AttachmentStore(at: store.root, keys: keys)
        try await SidecarFixture.run(store: rotated) { sidecar in
            let answer = try await get(url(file), sidecar)
            #expect(answer.status == 403)
        }
    }

    @Test(
        "a foreign name is not found, whatever its signature",
        arguments: [
            "..", "../signing.key", "..%2fsigning.key", "..%2Fsigning.key", "%2e%2e%2fsigning.key", "%2fetc%2fpasswd",
            "/etc/passwd", "../../../../etc/passwd", "a%00.jpg", "aaaaaaaaaaaaaaaaaaaaaaaaaa.jpg%00", "signing.key",
            ".",
            "%2e%2e", "..;/signing.key", "..%5csigning.key", "aaaaaaaaaaaaaaaaaaaaaaaaaa.exe", "%", "%zz",
            String(repeating: "a", count: 4096), String(repeating: "../", count: 1365) + "etc/passwd",
            String(repeating: "%2e", count: 1365),
        ],
    )
    func outside(name: String) async throws {
        let file = try await store.store(ReadyRung(Self.picture))
        let query = String(url(file).split(separator: "?")[1])
        try await SidecarFixture.run(store: store) { sidecar in
            for path in ["/v1/attachments/\(name)?\(query)", "/a/\(name)?\(query)"] {
                let answer = try await get(path, sidecar)
                #expect(answer.status == 404 && !answer.text.contains("root:"), "\(answer.status) \(answer.text)")
            }
        }
    }

    @Test("a link planted in the folder is not followed, and a file that was swept is not found")
    func planted() async throws {
        let file = try await store.store(ReadyRung(Self.picture))
        try FileManager.default.removeItem(atPath: file.path)
        try await SidecarFixture.run(store: store) { sidecar in
            #expect(try await get(url(file), sidecar).status == 404)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/etc/passwd")
            let answer = try await get(url(file), sidecar)
            #expect(answer.status != 200 && !answer.text.contains("root:"))
        }
    }

    @Test("downloads continue when all permits for notifications are taken")
    func besideFull() async throws {
        let file = try await store.store(ReadyRung(Self.picture))
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(requestLimit: 1, started: started, hold: hold, store: store) { sidecar in
            async let first = sidecar.send("POST", "/v1/rewrite", SidecarServerTests.payload)
            await started.wait()
            let download = try await get(url(file), sidecar)
            hold.send()
            let notification = try await first
            #expect(download.status == 200 && notification.status == 200)
        }
    }

    @Test(
        "dates are read in all three forms and written in the first",
        arguments: [0, 784_111_777, 951_782_400, 1_709_164_800, 4_102_444_799]
    )
    func dates(seconds: Int) throws {
        #expect(HTTPDate.seconds(HTTPDate.text(seconds)) == seconds)
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Sun Nov  6 08:49:37 1994") == 784_111_777)
        // The weekday is redundant.
        #expect(HTTPDate.seconds("Sat, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Day, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        let formatter = ISO8601DateFormatter()
        #expect(HTTPDate.text(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(formatter.string(from: Date(timeIntervalSince1970: 951_782_400)) == "2000-02-29T00:00:00Z")
    }

    @Test(
        "an invalid date is ignored",
        arguments: [
            "", "GMT", "yesterday", "Sun, 06 Nov 1994", "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov -1994 08:49:37 GMT",
        ]
    )
    func noDate(text: String) { #expect(HTTPDate.seconds(text) == nil) }

    @Test("a server in front gets a file's name for a phone's link, and its bytes for a view of the preview")
    func handover() async throws {
        let preview = try await PreviewFixture()
        let (hold, files) = try await preview.holds.open([preview.file])
        let urls = preview.store.urls(below: "")
        let end = UnixTime.now.seconds + 60
        try await SidecarFixture.run(handover: .sendfile, preview: preview) { sidecar in
            for method in ["GET", "HEAD"] {
                let named = try await sidecar.send(method, urls.url(of: preview.file, expires: end))
                #expect(named.status == 200 && named.body.isEmpty)
                #expect(named.headers["x-sendfile"] == preview.store.path(of: preview.file))
            }
            let view = try await sidecar.send(urls.url(of: preview.file, expires: end, hold: hold))
            #expect(files == [preview.file] && view.body == PreviewFixture.content)
            #expect(view.headers["x-sendfile"] == nil)
            #expect(try await sidecar.send(urls.url(of: preview.file, expires: end - 61)).status == 403)
        }
    }
}
