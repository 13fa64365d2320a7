import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

@Suite("Downloads within a budget of memory", .timeLimit(.minutes(10)))
struct SourceMemoryTests {
    private static let source = pattern(3_000_000)
    private let memory = SourceMemory(byteLimit: 8_000_000)

    /// A downloader that takes no origin for slow, however busy the machine is.
    private func downloader() throws -> Downloader {
        var settings = try DownloadSettings.opening("127.0.0.0/8")
        settings.origins.grace = .seconds(60)
        return Downloader(settings: settings)
    }

    private func file(due seconds: Int = 30) throws -> MediaFile {
        let deadline = Deadline(SystemTime().now + .seconds(seconds))
        let file = try MediaFile(byteLimit: 100_000_000, memory: memory, deadline: deadline)
        file.want(0..<Int.max)
        return file
    }

    @Test("downloads that do not fit together take turns, on connections that stay", arguments: [false, true])
    func turns(isChunked: Bool) async throws {
        let origin = try OriginServer { _ in
            isChunked
                ? .chunked(Self.source, type: "image/jpeg", pieceSize: 65_536) : .body(Self.source, type: "image/jpeg")
        }
        defer { origin.stop() }
        let downloader = try self.downloader()
        try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                group.addTask {
                    let file = try self.file(due: number)
                    let url = origin.url("/\(number)")
                    let fetched = await downloader.download(url, into: file, timeLimit: .seconds(540))
                    defer { file.release() }
                    #expect(fetched.failure == nil)
                    #expect(fetched.holds(Self.source) && memory.usage.heldBytes <= 8_000_000)
                }
            }
            try await group.waitForAll()
        }
        // Without lengths, some may have to begin again.
        #expect(isChunked || origin.requests.count == 12)
        #expect(memory.usage.heldBytes == 0)
    }

    @Test("a small picture comes while large downloads have the memory and do not move")
    func small() async throws {
        let origin = try OriginServer { request in
            request.path == "/small"
                ? .body(pattern(50_000), type: "image/png")
                : .stall(after: 2_000_000, of: Self.source, type: "image/jpeg")
        }
        defer { origin.stop() }
        let downloader = try self.downloader()
        let files = try (0..<2).map { _ in try self.file(due: 1) }
        let downloads = files.map { file in
            Task { await downloader.download(origin.url("/large"), into: file, timeLimit: .seconds(540)) }
        }
        for file in files { _ = await file.progress(reaching: 2_000_000) }
        let file = try self.file()
        let fetched = await downloader.download(origin.url("/small"), into: file, timeLimit: .seconds(540))
        #expect(fetched.failure == nil && file.progress.byteCount == 50_000)
        for download in downloads { download.cancel() }
        for download in downloads { _ = await download.value }
    }

    @Test("a picture whose length does not fit is refused before its body, and a clip is not")
    func refused() async throws {
        let source = Self.source + Self.source + Self.source
        let origin = try OriginServer { request in
            .stall(after: 1_000, of: source, type: request.path == "/clip" ? "video/mp4" : "image/jpeg")
        }
        defer { origin.stop() }
        let downloader = try self.downloader()
        let file = try self.file()
        let fetched = await downloader.download(origin.url("/a"), into: file, timeLimit: .seconds(540))
        #expect(fetched.failure?.reason == .resourceLimit)
        #expect(memory.usage.heldBytes == 0)
        let clip = try self.file()
        let download = Task { await downloader.download(origin.url("/clip"), into: clip, timeLimit: .seconds(540)) }
        let progress = await clip.progress(reaching: 1_000)
        #expect(progress.byteCount == 1_000 && progress.ending == nil)
        download.cancel()
        _ = await download.value
    }

    @Test(
        "a download that lost its bytes to a more urgent one begins again, without a failure",
        arguments: [false, true]
    )
    func again(isCoded: Bool) async throws {
        // Without a length, both outgrow what they had together. A coded body is there long before it is decoded.
        let pieces = isCoded ? [UInt8](repeating: 7, count: 6_000_000) : Self.source + Self.source
        let coded = isCoded ? try Gzip.compress(pieces) : pieces
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.chunked(coded, type: "image/jpeg", pieceSize: 65_536)
            if isCoded { answer.setHeader("Content-Encoding", "gzip") }
            return answer
        }
        defer { origin.stop() }
        let memory = SourceMemory(byteLimit: 8_400_000)
        let downloader = try self.downloader()
        let files = try (0..<6).map { number in
            let deadline = Deadline(SystemTime().now + .seconds(40 + number))
            let file = try MediaFile(byteLimit: 100_000_000, memory: memory, deadline: deadline)
            file.want(0..<Int.max)
            return file
        }
        await withTaskGroup(of: Bool.self) { group in
            for file in files {
                group.addTask {
                    let fetched = await downloader.download(origin.url("/a"), into: file, timeLimit: .seconds(540))
                    defer { file.release() }
                    #expect(fetched.failure == nil)
                    return fetched.failure == nil && fetched.holds(pieces)
                }
            }
            for await isGood in group { #expect(isGood) }
        }
        #expect(memory.usage.heldBytes == 0)
    }
}
