import Foundation
import Glibc
import Media
import Support
import Testing

@testable import Storage

@Suite("The attachment store")
struct AttachmentStoreTests {
    let folder: TemporaryFolder
    let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.url.appending(path: "store").path
    }

    @Test("an output is moved in whole, under a name of ours, with the right extension and digest")
    func storesOutput() async throws {
        let store = try AttachmentStore(at: root)
        let file = try await store.store(ReadyRung(Array("abc".utf8), format: .png))
        #expect(try Data(contentsOf: URL(filePath: file.path)) == Data("abc".utf8))
        #expect(file.path == "\(root)/attachments/\(file.identifier).png")
        // FIPS 180-2, appendix B.1
        #expect(file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(folder.files == ["store/attachments/\(file.identifier).png"])
    }

    @Test("files are for their owner only, and folders too")
    func permissions() async throws {
        let store = try AttachmentStore(at: root)
        let file = try await store.store(ReadyRung([1, 2, 3]))
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(file.path) == 0o600)
        for path in [root, "\(root)/tmp", "\(root)/attachments"] { #expect(try mode(path) == 0o700) }
    }

    @Test("many outputs at once get names of their own, and leave nothing in tmp")
    func parallel() async throws {
        let store = try AttachmentStore(at: root)
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await store.store(ReadyRung([UInt8](repeating: UInt8(number), count: 100_000))).identifier
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names.count == 50)
        #expect(folder.files.filter { $0.contains("tmp/") } == [])
    }

    @Test(
        "what a crashed process left in tmp is swept at the next start; a live process's folder and foreign files stay"
    )
    func sweep() async throws {
        let live = try AttachmentStore(at: root)
        let crashed = "\(root)/tmp/\(RandomName.make())"
        let foreign = "\(root)/tmp/notes.txt"
        try FileManager.default.createDirectory(atPath: crashed, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: "\(crashed)/half.jpg"))
        try Data([2]).write(to: URL(filePath: foreign))
        let second = try AttachmentStore(at: root)
        #expect(!FileManager.default.fileExists(atPath: crashed))
        #expect(FileManager.default.fileExists(atPath: foreign))
        try live.checkWritable()
        try second.checkWritable()
    }

    @Test("a link in place of a folder is refused", arguments: ["attachments", "tmp"])
    func plantedLink(name: String) throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: "/etc")
        #expect(throws: StoreError.self) { _ = try AttachmentStore(at: root) }
    }

    @Test("no name climbs out of a folder", arguments: ["", ".", "..", "../x", "/etc/passwd", "a/b", "a\u{0}b"])
    func climbing(name: String) throws {
        let directory = try Directory.create(root)
        #expect(throws: StoreError.self) { _ = try directory.createFile(name) }
    }

    @Test("a store that cannot be made says where and what to do")
    func unwritable() throws {
        try Data().write(to: folder.url.appending(path: "file"))
        let error = try #require(throws: StoreError.self) { _ = try AttachmentStore(at: "\(folder.path)/file/store") }
        #expect(error.description.contains("--store"))
        #expect(error.path.contains("file"))
    }

    @Test("a full disk is a failure of its own, and leaves nothing behind", .enabled(if: geteuid() == 0, "needs root"))
    func full() async throws {
        let disk = folder.url.appending(path: "disk").path
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mounted = unsafe mount("tmpfs", disk, "tmpfs", 0, "size=64k")
        guard mounted == 0 else { try Test.cancel("a tmpfs cannot be mounted here") }
        defer { unsafe umount(disk) }
        let store = try AttachmentStore(at: "\(disk)/store")
        let failure = await #expect(throws: AttachmentFailure.self) {
            _ = try await store.store(ReadyRung([UInt8](repeating: 7, count: 1_000_000)))
        }
        #expect(failure?.reason == .storeFull)
        #expect(folder.files.allSatisfy { !$0.hasSuffix(".jpg") })
        _ = try await store.store(ReadyRung([1]))
    }
}
