import CryptoKit
import Foundation
import Testing

@testable import NotificationAttachments

/// Downloads over URLSession from an origin on loopback, which is as faulty as the first part of a URL's path says.
@Suite("The network")
struct NetworkTests {
    private let folder: TemporaryFolder
    private let origin: ChildProgram
    private let photo = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        folder = try TemporaryFolder()
        try photo.write(to: folder.url.appending(path: "photo.jpg"))
        origin = try ChildProgram(["python3", Samples.faulty, folder.url.path])
    }

    private var digest: String {
        var hash = SHA256()
        hash.update(data: photo)
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }

    private func download(_ path: String, of entry: AttachmentEntry) async throws -> IncomingFile {
        let url = try #require(URL(string: "http://127.0.0.1:\(try await origin.answer("port "))/\(path)"))
        let file = IncomingFile(entry, at: folder.url.appending(path: "0"))
        try await Network().fetch(url, into: file)
        _ = try file.finish()
        return file
    }

    private func entry(hasSums: Bool = true) -> AttachmentEntry {
        AttachmentEntry(
            type: "public.jpeg",
            byteCount: hasSums ? photo.count : nil,
            sha256: hasSums ? digest : nil
        )
    }

    @Test("brings a file to disk as it is, also after a redirect", arguments: ["none/photo.jpg", "moved/photo.jpg"])
    func complete(path: String) async throws {
        let file = try await download(path, of: entry())
        #expect(try Data(contentsOf: file.url) == photo)
    }

    @Test(
        "is not believed when it lies or breaks",
        arguments: [
            ("404", DownloadError.status(404)), ("500", .status(500)), ("login", .wrongType), ("empty", .wrongLength),
            ("shorter", .wrongLength), ("changed", .wrongDigest), ("loop", .status(302)),
        ]
    )
    func lies(fault: String, error: DownloadError) async throws {
        await #expect(throws: error) { try await download("\(fault)/photo.jpg", of: entry()) }
    }

    @Test("is not followed to an address that is not of the web")
    func elsewhere() async throws {
        await #expect(throws: (any Error).self) { try await download("elsewhere/photo.jpg", of: entry(hasSums: false)) }
    }

    @Test("is stopped at the limit when it does not end", arguments: [true, false])
    func endless(hasSums: Bool) async throws {
        await #expect(throws: DownloadError.tooBig) {
            try await download("endless/photo.jpg", of: entry(hasSums: hasSums))
        }
    }

    @Test("gives an error when the connection breaks or there is none")
    func broken() async throws {
        await #expect(throws: URLError.self) { try await download("cut/photo.jpg", of: entry()) }
        origin.end()
        let nowhere = try #require(URL(string: "http://127.0.0.1:9/photo.jpg"))
        await #expect(throws: URLError.self) {
            try await Network().fetch(nowhere, into: IncomingFile(entry(), at: folder.url.appending(path: "1")))
        }
    }

    @Test("is left at once when the time is up while it stalls", arguments: ["stall", "silence"])
    func stalls(fault: String) async throws {
        let port = try await origin.answer("port ")
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/\(fault)/photo.jpg"))
        let deliveries = Deliveries<[String]>()
        let attempt = BestAttempt(
            [AttachmentEntry(url: url)],
            in: folder.url.appending(path: "attempt"),
            over: Network(),
            make: { _, file, _ in file.path },
            deliver: deliveries.add
        )
        let work = attempt.start()
        _ = try await origin.answer("waiting")
        attempt.finish()
        #expect(deliveries.all == [[]])
        await work.value
        // The connection is closed, and the half of the file is removed.
        _ = try await origin.answer("gone")
        #expect(folder.files == ["photo.jpg"])
    }

    @Test("is left in whatever moment the time is up", .timeLimit(.minutes(10)))
    func anyMoment() async throws {
        let port = try await origin.answer("port ")
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/silence/photo.jpg"))
        for steps in 0..<40 {
            let file = IncomingFile(entry(), at: folder.url.appending(path: "\(steps)"))
            let work = Task { try await Network().fetch(url, into: file) }
            for _ in 0..<steps / 2 { await Task.yield() }
            work.cancel()
            await #expect(throws: (any Error).self) { try await work.value }
        }
    }

    @Test("begins nothing when the time was up before")
    func cancelled() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/photo.jpg"))
        let file = IncomingFile(entry(), at: folder.url.appending(path: "0"))
        let work = Task { try await Network().fetch(url, into: file) }
        work.cancel()
        await #expect(throws: (any Error).self) { try await work.value }
    }
}
