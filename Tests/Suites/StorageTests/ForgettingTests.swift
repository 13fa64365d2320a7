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
            #expect(store.isForgotten(file))
            #expect(try store.startAccessing(file) == nil)
            #expect(await store.renew(file) == nil)
            let failure = await #expect(throws: AttachmentFailure.self) { _ = try await store.store(rung()) }
            #expect(failure?.reason == .forgotten)
            #expect(store.usage == .init(fileCount: 0, byteCount: 0))
            store = try open()
        }
        time.advance(by: .seconds(3602))
        await store.sweep()
        #expect(!store.isForgotten(file))
        #expect(try await store.store(rung()).identifier == file)
    }

    @Test("is known to another process with the store, and to one that has it open for reading")
    func otherProcess() async throws {
        let (store, other) = (try open(), try open())
        let file = try await store.store(rung()).identifier
        let hold = try other.startAccessing(file)
        try await store.forget(file)
        await other.sweep()
        #expect(try other.startAccessing(file) == nil)
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
        #expect(store.isForgotten(file))
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
        let record = try String(contentsOfFile: "\(folder.path)/sources", encoding: .utf8)
        #expect(!record.contains("example"))
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
