import Base
import Foundation
import Glibc
import Media
import Support
import Testing

@testable import Storage

@Suite("Retention of the store's files", .timeLimit(.minutes(10)))
struct RetentionTests {
    let folder: TemporaryFolder
    let root: String
    let time = WallClock()
    let events = RecordedEvents<StoreEvent>()

    init() throws {
        folder = try TemporaryFolder()
        root = folder.url.appending(path: "store").path
    }

    private func open(_ retention: Retention, at path: String? = nil) throws -> AttachmentStore {
        try AttachmentStore(
            at: path ?? root,
            retention: retention,
            now: { [time] in time.now },
            recorder: events
        )
    }

    private func files() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: "\(root)/attachments"))
    }

    private func rung(_ number: UInt8, count: Int = 100) throws -> ReadyRung {
        try ReadyRung([UInt8](repeating: number, count: count))
    }

    @Test("a file is kept for its time after it was last stored, even across a restart")
    func expiry() async throws {
        let store = try open(.init(keep: .seconds(100)))
        let (first, second) = (try await store.store(rung(1)), try await store.store(rung(2)))
        #expect(first.expires == time.now + .seconds(100))
        time.advance(by: .seconds(99))
        _ = try await store.store(rung(2))
        time.advance(by: .seconds(1))
        let restarted = try open(.init(keep: .seconds(100)))
        await restarted.sweep()
        #expect(try files() == [second.identifier.description])
        #expect(restarted.usage == .init(fileCount: 1, byteCount: 100))
        await store.sweep()
        #expect(store.usage == restarted.usage)
        time.advance(by: .seconds(99))
        await store.sweep()
        #expect(try files() == [])
        #expect(events.removed(.expired) == 2)
    }

    @Test("a renewed file is kept as if it were stored now, even across a restart; a deleted one is not")
    func renewing() async throws {
        let store = try open(.init(keep: .seconds(100)))
        let file = try await store.store(rung(1))
        #expect(await store.renew(file.identifier) == file.expires)
        time.advance(by: .seconds(99))
        #expect(await store.renew(file.identifier) == time.now + .seconds(100))
        #expect(store.path(of: file.identifier) == file.path)
        time.advance(by: .seconds(99))
        let restarted = try open(.init(keep: .seconds(100)))
        #expect(restarted.usage == .init(fileCount: 1, byteCount: 100))
        // Another process sees that the file is younger than its record.
        time.advance(by: .milliseconds(500))
        #expect(await restarted.renew(file.identifier) != nil)
        time.advance(by: .seconds(99))
        await store.sweep()
        #expect(try files() == [file.identifier.description])
        try FileManager.default.removeItem(atPath: file.path)
        #expect(await restarted.renew(file.identifier) == nil)
        #expect(restarted.usage.fileCount == 0)
        time.advance(by: .seconds(100))
        await store.sweep()
        #expect(await store.renew(file.identifier) == nil)
    }

    @Test("a file that is being read outlives its time until the reader is done")
    func hold() async throws {
        let store = try open(.init(keep: .seconds(100)))
        let file = try await store.store(rung(1))
        time.advance(by: .seconds(99))
        var hold = try await store.startAccessing(file.identifier)
        time.advance(by: .seconds(60))
        await store.sweep()
        #expect(try files().count == 1 && hold != nil)
        hold = nil
        await store.sweep()
        #expect(try files() == [])
    }

    @Test("a hold that lasts too long no longer keeps the file, but its holder can still read")
    func endlessLease() async throws {
        let store = try open(.init(keep: .seconds(100), longestLease: .seconds(200)))
        let file = try await store.store(rung(7))
        let hold = try #require(try await store.startAccessing(file.identifier))
        time.advance(by: .seconds(199))
        await store.sweep()
        #expect(try files().count == 1)
        time.advance(by: .seconds(1))
        await store.sweep()
        #expect(try files() == [])
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = try unsafe bytes.withUnsafeMutableBytes { try unsafe hold.read(at: 0, into: $0, waits: true) }
        #expect(count == 100 && bytes == [UInt8](repeating: 7, count: 100))
    }

    @Test("when the quota is reached, the oldest files that are not being read are deleted (T6)")
    func quota() async throws {
        let store = try open(.init(quota: 300, protection: .seconds(1)))
        var stored: [AttachmentStore.File] = []
        for number in 1...3 {
            stored.append(try await store.store(rung(UInt8(number))))
            time.advance(by: .seconds(10))
        }
        let hold = try await store.startAccessing(stored[0].identifier)
        let fourth = try await store.store(rung(4))
        #expect(try files() == [stored[0], stored[2], fourth].reduce(into: []) { $0.insert("\($1.identifier)") })
        #expect(store.usage.byteCount == 300 && hold != nil)
        #expect(events.removed(.madeWay) == 1)
    }

    @Test(
        "when everything within the quota is new or being read, a new file is refused with a remedy, and accepted later"
    )
    func quotaReached() async throws {
        let store = try open(.init(quota: 250, protection: .seconds(60)))
        let first = try await store.store(rung(1))
        time.advance(by: .seconds(30))
        let second = try await store.store(rung(2))
        let failure = await #expect(throws: AttachmentFailure.self) { _ = try await store.store(rung(3)) }
        #expect(failure?.reason == .storeFull && failure?.message.contains("--quota") == true)
        // The same content needs no more disk space.
        _ = try await store.store(rung(2))
        #expect(try files() == ["\(first.identifier)", "\(second.identifier)"])
        time.advance(by: .seconds(30))
        let third = try await store.store(rung(3))
        #expect(try files() == ["\(second.identifier)", "\(third.identifier)"])
        #expect(folder.files.filter { $0.contains("/tmp/") } == [])
    }

    @Test("a file larger than the whole quota is refused, and no file is deleted for it")
    func tooLargeForQuota() async throws {
        let store = try open(.init(quota: 250, protection: .zero))
        _ = try await store.store(rung(1))
        time.advance(by: .seconds(1))
        await #expect(throws: AttachmentFailure.self) { _ = try await store.store(rung(2, count: 251)) }
        #expect(store.usage.fileCount == 1)
    }

    @Test(
        "a full disk is a distinct failure that leaves nothing behind, and ends once there is disk space again",
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: [0, 10_000],
    )
    func full(floor: Int) async throws {
        let disk = folder.url.appending(path: "disk").path
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mounted = unsafe mount("tmpfs", disk, "tmpfs", 0, "size=64k")
        guard mounted == 0 else { try Test.cancel("a tmpfs cannot be mounted here") }
        defer { unsafe umount2(disk, Int32(MNT_DETACH)) }
        let store = try open(.init(freeSpaceFloor: floor), at: "\(disk)/store")
        let others = URL(filePath: "\(disk)/others")
        try Data(count: 30_000).write(to: others)
        let failure = await #expect(throws: AttachmentFailure.self) {
            _ = try await store.store(rung(7, count: 40_000))
        }
        #expect(failure?.reason == .storeFull)
        #expect(folder.files.allSatisfy { !$0.hasSuffix(".jpg") && !$0.contains("/tmp/") })
        #expect(store.usage.byteCount == 0)
        _ = try await store.store(rung(1))
        try FileManager.default.removeItem(at: others)
        _ = try await store.store(rung(7, count: 40_000))
        #expect(store.usage == .init(fileCount: 2, byteCount: 40_100))
    }
}

extension RecordedEvents<StoreEvent> {
    func removed(_ removal: StoreEvent.Removal) -> Int {
        count { if case .removed(removal, _) = $0 { true } else { false } }
    }
}
