import Base
import Media
import Payloads
import Support
import Synchronization
import Testing

@testable import Processing

/// S10: Tests of sources that end their decoder processes.
@Suite("Crashed sources", .timeLimit(.minutes(10)))
struct CrashMemoryTests {
    let time = TestTime()

    /// A decoder that crashes on each source, and counts.
    private final class Crasher: AttachmentConverting {
        let reason: AttachmentFailure.Reason
        private let state = Mutex(0)
        var count: Int { state.withLock(\.self) }

        init(_ reason: AttachmentFailure.Reason) { self.reason = reason }

        func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
            _ = await job.file.progress(reaching: .max)
            state.withLock { $0 += 1 }
            throw AttachmentFailure(.decode, reason, "The test says so.")
        }
    }

    private struct Setting {
        let decoder: Crasher
        let pipeline: AttachmentPipeline
        let time: TestTime

        func send(_ url: String) async throws -> AttachmentFailure.Reason? {
            let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}"#
            let notification = try PayloadReader().read(Array(payload.utf8), identifier: "n")
            let request = ProcessingRequest(notification: notification)
            let result = await pipeline.process(request, deadline: time.now + .seconds(20))
            return result.failures.first?.failure.reason
        }
    }

    private func setting(
        _ reason: AttachmentFailure.Reason = .decoderDied,
        sources: [String: [UInt8]],
    ) -> Setting {
        let decoder = Crasher(reason)
        let steps = AttachmentPipeline.Steps(
            downloader: FakeDownloader(behaviours: sources.mapValues { .body($0) }),
            converter: decoder,
            store: FakeStore(),
        )
        return Setting(decoder: decoder, pipeline: AttachmentPipeline(steps: steps, time: time), time: time)
    }

    private static func jpeg(_ last: UInt8) -> [UInt8] { AttachmentPipelineTests.jpeg + [last] }

    @Test("S10: a source that ends its decoder ten times is decoded once, and called corrupt each time")
    func tenTimes() async throws {
        let setting = setting(sources: ["https://a/1": Self.jpeg(1)])
        for _ in 0..<10 { #expect(try await setting.send("https://a/1") == .corrupt) }
        #expect(setting.decoder.count == 1)
        time.advance(by: .seconds(600))
        #expect(try await setting.send("https://a/1") == .corrupt)
        #expect(setting.decoder.count == 2)
    }

    @Test("S10: the same bytes at another URL are not decoded either, and other bytes with the same beginning are")
    func contents() async throws {
        let urls = [
            "https://a/1": Self.jpeg(1), "https://b/1": Self.jpeg(1), "https://c/1": Self.jpeg(2),
            "https://d/1": Self.jpeg(1) + [1], "https://e/1": AttachmentPipelineTests.jpeg,
        ]
        let setting = setting(sources: urls)
        for url in urls.keys.sorted() { #expect(try await setting.send(url) == .corrupt) }
        #expect(setting.decoder.count == 4)
    }

    @Test(
        "a decoder that was killed or lost is not the source's fault",
        arguments: [.resourceLimit, .decoderUnavailable, .timedOut, .corrupt] as [AttachmentFailure.Reason]
    )
    func innocent(reason: AttachmentFailure.Reason) async throws {
        let setting = setting(reason, sources: ["https://a/1": Self.jpeg(1)])
        for _ in 0..<3 { #expect(try await setting.send("https://a/1") == reason) }
        #expect(setting.decoder.count == 3)
    }

    @Test("a source whose decoder lied is not decoded again either")
    func lie() async throws {
        let setting = setting(.decoderLied, sources: ["https://a/1": Self.jpeg(1)])
        #expect(try await setting.send("https://a/1") == .decoderLied)
        #expect(try await setting.send("https://a/1") == .corrupt)
        #expect(setting.decoder.count == 1)
    }

    @Test("S10: an origin that keeps sending such sources must wait, longer each time, and others needn't")
    func origins() async throws {
        let sources = (0..<20).map { ("https://a:1/\($0)", Self.jpeg(UInt8($0))) } + [("https://b/1", Self.jpeg(100))]
        let setting = setting(sources: Dictionary(uniqueKeysWithValues: sources))
        for number in 0..<3 { #expect(try await setting.send("https://a:1/\(number)") == .corrupt) }
        #expect(try await setting.send("https://a:1/3") == .decoderUnavailable)
        #expect(try await setting.send("https://b/1") == .corrupt)
        for (number, pause) in zip(3..., [1, 2, 4, 8]) {
            time.advance(by: .milliseconds(pause * 1000 - 1))
            #expect(try await setting.send("https://a:1/\(number)") == .decoderUnavailable)
            time.advance(by: .milliseconds(1))
            #expect(try await setting.send("https://a:1/\(number)") == .corrupt)
        }
        #expect(setting.decoder.count == 8)
    }

    @Test("S10: of a host that many share, only the customer that keeps sending such sources must wait")
    func customers() async throws {
        let names = (0..<4).map { "https://s3.example/evil/\($0)" } + ["https://s3.example/good/1"]
        var downloader = FakeDownloader(behaviours: [:])
        for (number, name) in names.enumerated() { downloader.behaviours[name] = .body(Self.jpeg(UInt8(number))) }
        downloader.host = { $0.split(separator: "/").dropLast().joined(separator: "/") }
        let decoder = Crasher(.decoderDied)
        let steps = AttachmentPipeline.Steps(downloader: downloader, converter: decoder, store: FakeStore())
        let pipeline = AttachmentPipeline(steps: steps, time: time)
        let setting = Setting(decoder: decoder, pipeline: pipeline, time: time)
        for name in names.prefix(3) { #expect(try await setting.send(name) == .corrupt) }
        #expect(try await setting.send(names[3]) == .decoderUnavailable)
        #expect(try await setting.send(names[4]) == .corrupt)
        #expect(decoder.count == 4)
    }

    @Test("the table is bounded, and entries expire")
    func bounds() {
        var table = CrashTable()
        var now = time.start
        for number in 0..<5000 {
            now = now + .milliseconds(1)
            table.record(source: "\(number)", origin: "\(number)", nil, at: now)
        }
        #expect(table.count == 2 * CrashTable.entryLimit)
        #expect(!table.remembers(source: "0", at: now) && table.remembers(source: "4999", at: now))
        table.record(source: "a", origin: "a", nil, at: now + CrashTable.period + .seconds(1))
        #expect(table.count == 2)
    }
}
