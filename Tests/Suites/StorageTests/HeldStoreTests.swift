import Base
import Files
import Foundation
import Glibc
import Media
import Support
import Testing

@testable import Storage

@Suite("A store whose lock another process has (L2)", .timeLimit(.minutes(10)))
struct HeldStoreTests {
    let folder: TemporaryFolder
    let root: String
    let events = RecordedEvents<StoreEvent>()

    init() throws {
        folder = try TemporaryFolder()
        root = folder.url.appending(path: "store").path
    }

    /// A lock as another process has it: of another open folder.
    private final class ForeignLock: Sendable {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY)
            try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        }

        func release() { close(descriptor) }
    }

    private var unfinished: [String] {
        folder.files.filter { $0.hasPrefix("store/tmp/") && $0.split(separator: "/").count > 3 }
    }

    private static func rung(_ number: UInt8) throws(AttachmentFailure) -> ReadyRung {
        do {
            return try ReadyRung([UInt8](repeating: number, count: 100))
        } catch {
            throw AttachmentFailure(.store, .internalError, "\(error)")
        }
    }

    @Test("L2: what needs no lock goes on, whoever waits leaves at once, and a later caller is served")
    func held() async throws {
        let store = try AttachmentStore(at: root, recorder: events)
        let ready = try await store.store(ReadyRung([1, 2, 3])).identifier
        let lock = try ForeignLock("\(root)/attachments")
        // More than there are threads for the disk.
        let failures = RecordedEvents<AttachmentFailure.Reason>()
        let waiting = (UInt8(0)..<40).map { number in
            Task {
                do throws(AttachmentFailure) {
                    return try await store.store(Self.rung(number)) as AttachmentStore.File?
                } catch {
                    failures.record(error.reason)
                    return nil
                }
            }
        }
        let renewing = Task { await store.renew(ready) }
        try await eventually { unfinished.count == 40 }
        #expect(try await store.startAccessing(ready)?.byteCount == 3)
        #expect(store.has(ready))
        #expect(await !store.isForgotten(ready))
        try await store.record(ready, of: "https://example.com/a.jpg")
        #expect(try await store.files(of: "https://example.com/a.jpg") == [ready])
        for task in waiting.dropFirst() { task.cancel() }
        // One of them may have begun, and waits for the lock.
        try await eventually { failures.events.count >= 38 && unfinished.count <= 2 }
        #expect(Set(failures.events) == [.timedOut])
        lock.release()
        let first = try #require(await waiting[0].value).identifier
        #expect(try await store.startAccessing(first)?.byteCount == 100)
        #expect(await renewing.value != nil)
        #expect(try await store.store(ReadyRung([4])).identifier != ready)
        try await eventually { unfinished == [] }
    }

    @Test("L2: the check of the store waits for the lock, and a sweep that waits ends with its task")
    func checks() async throws {
        let store = try AttachmentStore(at: root)
        try await store.checkWritable()
        let ready = try await store.store(ReadyRung([1])).identifier
        let lock = try ForeignLock("\(root)/attachments")
        let (checking, sweeping, removing) = (
            Task { try await store.checkWritable() }, Task { await store.sweep() },
            Task { try await store.forget(ready) }
        )
        try await eventually { store.knowsForgotten(ready) }
        sweeping.cancel()
        await sweeping.value
        // A deletion is done, however long that takes.
        removing.cancel()
        lock.release()
        try await removing.value
        try await checking.value
        #expect(!store.has(ready))
        #expect(folder.files.filter { $0.hasPrefix("store/attachments/") } == [])
    }

    @Test("a store is opened while another process has the lock, with files that have expired")
    func opening() async throws {
        let time = WallClock()
        let retention = Retention(keep: .seconds(100))
        let before = try AttachmentStore(at: root, retention: retention, now: { time.now })
        let file = try await before.store(ReadyRung([1])).identifier
        time.advance(by: .seconds(101))
        let lock = try ForeignLock("\(root)/attachments")
        let store = try AttachmentStore(at: root, retention: retention, now: { time.now }, recorder: events)
        #expect(store.has(file))
        lock.release()
        await store.sweep()
        #expect(!store.has(file))
        #expect(events.removed(.expired) == 1)
    }

    @Test("a file that another process has renewed is not removed to make way or as expired")
    func renewed() async throws {
        let time = WallClock()
        let retention = Retention(keep: .seconds(100), quota: 1000, protection: .zero)
        let (one, other) = (
            try AttachmentStore(at: root, retention: retention, now: { time.now }),
            try AttachmentStore(at: root, retention: retention, now: { time.now })
        )
        let file = try await one.store(ReadyRung([UInt8](repeating: 1, count: 600))).identifier
        await other.sweep()
        time.advance(by: .seconds(99))
        #expect(await one.renew(file) != nil)
        time.advance(by: .seconds(2))
        await other.sweep()
        #expect(other.has(file))
        #expect(try await other.startAccessing(file)?.byteCount == 600)
    }
}
