import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

@Suite("Stopping downloads", .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("a download that is cancelled before it starts ends at once")
    func before() async throws {
        let origin = try OriginServer { _ in .silence }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let fetched = try await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await downloader.fetch(origin.url())
        }.value
        #expect(fetched.reason == .cancelled)
        #expect(fetched.isConsistent)
    }

    @Test("a running download that is cancelled ends with the bytes that came")
    func underWay() async throws {
        let origin = try OriginServer { _ in .stall(after: 5_000, of: pattern(10_000)) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let file = try MediaFile(byteLimit: 10_000)
        let download = Task { await downloader.download(origin.url(), into: file, timeLimit: .seconds(540)) }
        _ = await file.progress(reaching: 5_000)
        download.cancel()
        let fetched = await download.value
        #expect(fetched.reason == .cancelled)
        #expect(fetched.isConsistent)
        #expect(fetched.holds(pattern(5_000)))
    }

    @Test("cancelling one download leaves the others alone")
    func others() async throws {
        let origin = try OriginServer { request in
            request.path == "/slow" ? .drip(pattern(50), every: .milliseconds(5)) : .silence
        }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        async let slow = downloader.fetch(origin.url("/slow"))
        let silent = Task { try await downloader.fetch(origin.url("/silent")) }
        silent.cancel()
        #expect(try await silent.value.reason == .cancelled)
        #expect(try await slow.holds(pattern(50)))
    }

    @Test("stopping ends the running downloads, and later ones at once")
    func stop() async throws {
        let origin = try OriginServer { _ in .stall(after: 5_000, of: pattern(10_000)) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let file = try MediaFile(byteLimit: 10_000)
        async let running = downloader.download(origin.url(), into: file, timeLimit: .seconds(540))
        _ = await file.progress(reaching: 5_000)

        downloader.stop()
        downloader.stop()

        let fetched = await running
        #expect(fetched.reason == .cancelled)
        #expect(fetched.isConsistent)
        #expect(fetched.holds(pattern(5_000)))
        #expect(try await downloader.fetch(origin.url()).reason == .cancelled)
    }

    @Test("cancelling at any moment ends every download once")
    func anyMoment() async throws {
        let origin = try OriginServer { _ in .drip(pattern(30), pieceSize: 10, every: .milliseconds(1)) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        for _ in 0..<20 {
            let downloads = (0..<10).map { _ in Task { try await downloader.fetch(origin.url()) } }
            for download in downloads { download.cancel() }
            for download in downloads {
                let fetched = try await download.value
                #expect(fetched.isConsistent)
                #expect(fetched.reason == nil || fetched.reason == .cancelled)
            }
        }
    }
}
