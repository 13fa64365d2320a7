import HTTPTypes
import NIOCore
import Storage
import Testing
import Timing

@testable import Sidecar

@Suite("Remembered answers for links that were valid within this second")
struct RecentFilesTests {
    private func file(bytes: Int = 3) -> WholeFile {
        WholeFile(headers: [:], bytes: ByteBuffer(repeating: 7, count: bytes))
    }

    @Test("a link is checked once a second: in the next second it may have expired")
    func withinOneSecond() {
        let recent = RecentFiles()
        var made = 0
        let make: () -> WholeFile? = {
            made += 1
            return file()
        }
        for (nanoseconds, second) in [(0, 100), (999_999_999, 100), (0, 101), (0, 100)] {
            let now = UnixTime(sinceEpoch: .seconds(second) + .nanoseconds(nanoseconds))
            #expect(recent.file(for: "/a/1?e=9", at: now, make)?.bytes.readableBytes == 3)
        }
        #expect(made == 3)
        #expect(recent.file(for: "/a/1?e=9", at: UnixTime(seconds: 102)) { nil } == nil)
    }

    @Test("links that were refused are checked again, and so is every other link")
    func refusedAndOther() {
        let recent = RecentFiles()
        let now = UnixTime(seconds: 100)
        #expect(recent.file(for: "/a/1", at: now) { nil } == nil)
        #expect(recent.file(for: "/a/1", at: now) { file(bytes: 1) }?.bytes.readableBytes == 1)
        #expect(recent.file(for: "/a/2", at: now) { file(bytes: 2) }?.bytes.readableBytes == 2)
        #expect(recent.file(for: "/a/1", at: now) { nil }?.bytes.readableBytes == 1)
    }

    @Test(
        "together they stay below their limits, whatever the requests",
        arguments: [(links: 20, bytes: 1_048_576, kept: 8), (links: 1500, bytes: 1, kept: 1000)]
    )
    func limits(links: Int, bytes: Int, kept: Int) {
        let recent = RecentFiles()
        let now = UnixTime(seconds: 100)
        for link in 0..<links {
            let answer = recent.file(for: "/a/\(link)", at: now) { file(bytes: bytes) }
            #expect(answer?.bytes.readableBytes == bytes)
        }
        #expect((0..<links).count { link in recent.file(for: "/a/\(link)", at: now) { nil } != nil } == kept)
    }
}
