import Base
import Foundation
import Payloads
import Support
import Testing

@Suite("attachd process", .timeLimit(.minutes(10)))
struct ProcessTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    @Test("a ten-megapixel photo comes back complete: 1038 px, at most 500 kB, in a rewritten payload")
    func photo() async throws {
        let origin = try OriginServer { _ in .body(SampleMedia.photo, type: "image/jpeg") }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/photo.jpg"))
        #expect(outcome.status == 0 && outcome.outcome == "complete" && outcome.rung == "downscaled")
        #expect(outcome.number("/attachments/0/width") == 1038)
        #expect(outcome.number("/attachments/0/bytes").map { (1...500_000).contains($0) } == true)
        #expect(outcome.number("/attachments/0/source/width") == 3888)
        #expect(outcome.number("/attachments/0/source/fetched") == SampleMedia.photo.count)

        let payload = try JSONValue(parsing: Array(outcome.output.utf8.dropLast()))
        let url = try #require(payload["my-attachment"]?.text.flatMap { URL(string: $0) })
        let file = try Data(contentsOf: url)
        #expect(file.starts(with: [0xFF, 0xD8]) && url.pathExtension == "jpg")
        #expect(file.count == outcome.number("/attachments/0/bytes"))
        #expect(payload.value(at: try JSONPointer("/attachments/0/type"))?.text == "public.jpeg")
        #expect(attachd.leftovers == [])
    }

    @Test("the stages add up to the total within 5 %")
    func timings() async throws {
        let origin = try OriginServer { _ in .body(SampleMedia.photo) }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/photo.jpg"))
        let stages = try ["queue", "download", "wait", "decode", "store"].map {
            try #require(outcome.number("/timings/\($0)"))
        }
        let total = try #require(outcome.number("/timings/total"))
        // Each stage is rounded to a millisecond.
        #expect(abs(stages.reduce(0, +) - total) <= max(total / 20, 3))
    }

    @Test("an origin's name for the file doesn't matter", arguments: ["/photo", "/photo.txt", "/photo.png?x=.gif"])
    func names(path: String) async throws {
        let origin = try OriginServer { _ in .body(SampleMedia.photo, type: "text/html; charset=utf-8") }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url(path))
        #expect(outcome.outcome == "complete" && outcome.value("/attachments/0/type")?.text == "public.jpeg")
    }

    @Test("a chain of redirects is followed")
    func redirects() async throws {
        let origin = try OriginServer { request in
            switch request.path {
            case "/1": .redirect(to: "/2", status: 301)
            case "/2": .redirect(to: "3", status: 307)
            default: .body(SampleMedia.photo)
            }
        }
        defer { origin.stop() }
        #expect(try await attachd.process(origin.url("/1")).outcome == "complete")
    }

    @Test("a redirect to an address that is not allowed is refused, and the error names it")
    func refusedRedirect() async throws {
        let inner = try OriginServer { _ in .body([1, 2, 3]) }
        let outer = try OriginServer(address: "127.0.0.2") { [url = inner.url("/secret")] _ in .redirect(to: url) }
        defer {
            inner.stop()
            outer.stop()
        }
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(outer.url("/x"))"}"#
        let report = attachd.folder.url.appending(path: "r.json").path
        let arguments = ["process", "--store", attachd.store, "--report", report, "--allow-address", "127.0.0.2"]
        let outcome = try await attachd.run(arguments, input: Array(payload.utf8))
        let result = try JSONValue(parsing: [UInt8](Data(contentsOf: URL(filePath: report))))
        let error = try #require(result.value(at: try JSONPointer("/errors/0")))
        #expect(outcome.status == 0 && outcome.output == payload + "\n")
        #expect(error["code"] == .integer(100) && error["reason"]?.text == "refusedAddress")
        #expect(error["message"]?.text?.contains("--allow-address") == true)
        #expect(inner.requests.isEmpty)
    }

    @Test(
        "a bad answer leaves the original, with the error that the device would have",
        arguments: [
            ("404", 100, "httpStatus"), ("empty", 102, "empty"), ("page", 101, "unrecognizedFormat"),
            ("video", 105, "corrupt"),
        ],
    )
    func badAnswers(kind: String, code: Int, reason: String) async throws {
        let origin = try OriginServer { request in
            switch request.path {
            case "/404": .status(404, body: Array("nothing here".utf8))
            case "/empty": .empty
            case "/video": .body(Array("\0\0\0\u{18}ftypmp42\0\0\0\0mp42isom".utf8) + [UInt8](repeating: 0, count: 600))
            default: .body(Array("<!doctype html><title>Log in</title>".utf8), type: "image/jpeg")
            }
        }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/\(kind)"))
        #expect(outcome.status == 0 && outcome.outcome == "original")
        #expect(outcome.number("/errors/0/code") == code && outcome.value("/errors/0/reason")?.text == reason)
    }

    @Test("a body that stalls halfway gives the best result of the bytes so far")
    func stall() async throws {
        let origin = try OriginServer { _ in .stall(after: SampleMedia.photo.count / 2, of: SampleMedia.photo) }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/photo.jpg"))
        #expect(outcome.status == 0 && outcome.outcome == "degraded")
        #expect(["partial", "embedded-thumbnail"].contains(outcome.rung))
        #expect(outcome.value("/errors/0/reason")?.text == "stalled")
        #expect(outcome.number("/margin").map { $0 > 0 } == true)
    }

    @Test("a body that stalls is answered before a short deadline, whatever the result")
    func stallWithLittleTime() async throws {
        let origin = try OriginServer { _ in .stall(after: SampleMedia.photo.count / 2, of: SampleMedia.photo) }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/photo.jpg"), ["--deadline", "2s"])
        #expect(outcome.status == 0 && ["degraded", "original"].contains(outcome.outcome))
        #expect(outcome.value("/errors/0/reason")?.text == "timedOut")
        #expect(outcome.number("/timings/total").map { $0 <= 2000 } == true)
    }

    @Test("a progressive JPEG that stalls at a quarter comes back as a partial picture of full size", .needsSharedMedia)
    func progressiveStall() async throws {
        let picture = try SharedMedia.bytes("images/plasma__Autumn_2560x1600.jpg")
        let origin = try OriginServer { _ in .stall(after: picture.count / 4, of: picture) }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/autumn.jpg"))
        #expect(outcome.outcome == "degraded" && outcome.rung == "partial")
        #expect(outcome.number("/attachments/0/width") == 1038)
        #expect(outcome.number("/attachments/0/height").map { (648...649).contains($0) } == true)
    }

    @Test("a video comes back as its first ten seconds", .needsSharedMedia)
    func video() async throws {
        let video = try SharedMedia.bytes("video/torchcodec__nasa_13013.mp4")
        let origin = try OriginServer { _ in .body(video, type: "video/mp4") }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/nasa.mp4"))
        #expect(outcome.outcome == "complete" && outcome.rung == "copied")
        #expect(outcome.value("/attachments/0/type")?.text == "public.mpeg-4")
        #expect(outcome.number("/attachments/0/duration") == 10_000)
        #expect(outcome.number("/attachments/0/source/duration") == 16_570)
    }

    @Test("on a platform without video, the frame is the complete result", .needsSharedMedia)
    func videoAsPicture() async throws {
        let video = try SharedMedia.bytes("video/media__sample_portrait.mp4")
        let origin = try OriginServer { _ in .body(video, type: "video/mp4") }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/portrait.mp4"), ["--profile", "fcm"])
        #expect(outcome.outcome == "complete" && outcome.rung == "poster")
    }

    @Test("an origin that never answers costs the attachment, not the notification")
    func silence() async throws {
        let origin = try OriginServer { _ in .silence }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/x"), ["--deadline", "500ms"])
        #expect(outcome.status == 0 && outcome.outcome == "original")
    }

    @Test("a local file is an attachment too")
    func localFile() async throws {
        let path = SampleMedia.photoURL.path
        #expect(try await attachd.process(path).outcome == "complete")
        #expect(try await attachd.process("file://\(path)").outcome == "complete")
        #expect(try await attachd.process("/nowhere/at/all.jpg").number("/errors/0/code") == 100)
    }
}
