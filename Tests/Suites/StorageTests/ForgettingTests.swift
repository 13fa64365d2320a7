import Base
import Foundation
import Media
import Support
import Testing

@testable import Storage

/// Tests of issue 15, section 10: an attachment is taken back.
@Suite("A file that is taken back", .timeLimit(.minutes(10)))
struct ForgettingTests {
    let folder: TemporaryFolder
    let time = WallClock()

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> AttachmentStore {
        try AttachmentStore(at: folder.path, retention: Retention(keep: .seconds(3600)), now: { [time] in time.now })
    }

    private func rung() throws -> ReadyRung { try ReadyRung([UInt8](repeating: 7, count: 100)) }

    @Test("is deleted, and not held, renewed or stored again, even after a restart, until its links have expired")
    func forgotten() async throws {
        var store = try open()
        let file = try await store.store(rung()).identifier
        try await store.forget(file)
        for _ in 0..<2 {
            #expect(!FileManager.default.fileExists(atPath: store.path(of: file)))
            #expect(await store.isForgotten(file))
            #expect(try await store.startAccessing(file) == nil)
            #expect(await store.renew(file) == nil)
            let failure = await #expect(throws: AttachmentFailure.self) { _ = try await store.store(rung()) }
            #expect(failure?.reason == .forgotten)
            #expect(store.usage == .init(fileCount: 0, byteCount: 0))
            store = try open()
        }
        time.advance(by: .seconds(3602))
        await store.sweep()
        #expect(await !store.isForgotten(file))
        #expect(try await store.store(rung()).identifier == file)
    }

    @Test("is known to another process with the store, and to one that has it open for reading")
    func otherProcess() async throws {
        let (store, other) = (try open(), try open())
        let file = try await store.store(rung()).identifier
        let hold = try await other.startAccessing(file)
        try await store.forget(file)
        await other.sweep()
        #expect(try await other.startAccessing(file) == nil)
        let failure = await #expect(throws: AttachmentFailure.self) { _ = try await other.store(rung()) }
        #expect(failure?.reason == .forgotten)
        withExtendedLifetime(hold) {}
    }

    @Test("may be missing here: another machine's, or one that was swept")
    func elsewhere() async throws {
        let store = try open()
        let file = try #require(AttachmentIdentifier("abcdefghijklmnopqrstuvwxyz.jpg"))
        try await store.forget(file)
        try await store.forget(file)
        #expect(await store.isForgotten(file))
    }

    @Test("is found by its source, which the store doesn't keep as plain text, even after a restart")
    func sources() async throws {
        let store = try open()
        let file = try await store.store(rung()).identifier
        try await store.record(file, of: "https://example.com/secret.jpg")
        try await store.record(file, of: "https://example.com/secret.jpg")
        try await store.record(file, of: "https://example.com/other.jpg")
        #expect(try await open().files(of: "https://example.com/secret.jpg") == [file])
        #expect(try await store.files(of: "https://example.com/nothing.jpg") == [])
        #expect(try !indexText().contains("example"))
    }

    /// All lines of the index.
    private func indexText() throws -> String {
        try folder.files.filter { $0.hasPrefix("sources.index/") }
            .map { try String(contentsOfFile: "\(folder.path)/\($0)", encoding: .utf8) }.joined()
    }

    @Test("is found in the single file of an earlier version, too, until all that it lists has expired")
    func formerIndex() async throws {
        let store = try open()
        let file = try await store.store(rung()).identifier
        try await store.record(file, of: "https://example.com/old.jpg")
        let former = folder.url.appending(path: "sources")
        try Data(try indexText().utf8).write(to: former)
        func age(_ time: UnixTime) throws {
            let date = Date(timeIntervalSince1970: Double(time.seconds))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: former.path)
        }
        try age(time.now)
        try FileManager.default.removeItem(at: folder.url.appending(path: "sources.index"))
        let later = try open()
        #expect(try await later.files(of: "https://example.com/old.jpg") == [file])
        time.advance(by: .seconds(7199))
        await later.sweep()
        #expect(folder.files.contains("sources"))
        time.advance(by: .seconds(2))
        await later.sweep()
        #expect(!folder.files.contains("sources"))
    }

    @Test("is found by its source until twice its lifetime has passed, and then nothing of that is left")
    func expired() async throws {
        let store = try open()
        let file = try await store.store(rung()).identifier
        for hour in 0..<12 {
            try await store.record(file, of: "https://example.com/\(hour).jpg")
            await store.sweep()
            for past in 0...hour {
                let found = try await store.files(of: "https://example.com/\(past).jpg")
                if hour - past < 2 { #expect(found == [file]) }
                if hour - past > 3 { #expect(found == []) }
            }
            time.advance(by: .seconds(3600))
        }
        time.advance(by: .seconds(3 * 3600))
        await store.sweep()
        #expect(try indexText() == "")
    }

    @Test("an index that a sender makes large loses its oldest lines first, and counts towards the quota")
    func largeIndex() async throws {
        let retention = Retention(keep: .seconds(3600), quota: 20_000)
        let store = try AttachmentStore(at: folder.path, retention: retention, now: { [time] in time.now })
        let file = try await store.store(rung()).identifier
        for number in 0..<60 {
            try await store.record(file, of: "https://example.com/?\(number)")
            time.advance(by: .seconds(60))
        }
        await store.sweep()
        #expect(try indexText().utf8.count <= 2000)
        #expect(try await store.files(of: "https://example.com/?59") == [file])
        #expect(try await store.files(of: "https://example.com/?0") == [])
        // 20,000 bytes would take this file, but not beside the index.
        let large = try ReadyRung([UInt8](repeating: 8, count: 19_000))
        _ = await #expect(throws: AttachmentFailure.self) { try await store.store(large) }
    }

    @Test(
        "is identified by its name, by a link to it, or by its source",
        arguments: [
            ("abcdefghijklmnopqrstuvwxyz.jpg", true, false),
            ("https://push.example/v1/attachments/abcdefghijklmnopqrstuvwxyz.jpg?expires=1&signature=x", true, true),
            ("https://example.com/a.jpg", false, true), ("../a.jpg", nil, nil), ("", nil, nil), ("a.jpg", nil, nil),
        ] as [(String, Bool?, Bool?)]
    )
    func reference(text: String, isFile: Bool?, isSource: Bool?) {
        let reference = AttachmentReference(text)
        #expect(reference.map { $0.file != nil } == isFile)
        #expect(reference.map { $0.source != nil } == isSource)
    }
}
