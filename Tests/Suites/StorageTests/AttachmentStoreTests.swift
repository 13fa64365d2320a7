import Base
import Files
import Foundation
import Glibc
import Media
import Support
import Testing

@testable import Storage

@Suite("The attachment store", .timeLimit(.minutes(10)))
struct AttachmentStoreTests {
    let folder: TemporaryFolder
    let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.url.appending(path: "store").path
    }

    @Test("an output is moved in whole, under a new name, with the right extension and digest")
    func storesOutput() async throws {
        let store = try AttachmentStore(at: root)
        let file = try await store.store(ReadyRung(Array("abc".utf8), format: .png))
        #expect(try Data(contentsOf: URL(filePath: file.path)) == Data("abc".utf8))
        #expect(file.path == "\(root)/attachments/\(file.identifier)" && file.path.hasSuffix(".png"))
        // FIPS 180-2, appendix B.1
        #expect(file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(folder.files == ["store/attachments/\(file.identifier)", "store/signing.key"])
    }

    @Test("files and folders are accessible to their owner only")
    func permissions() async throws {
        let store = try AttachmentStore(at: root)
        let file = try await store.store(ReadyRung([1, 2, 3]))
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(file.path) == 0o600)
        for path in [root, "\(root)/tmp", "\(root)/attachments"] { #expect(try mode(path) == 0o700) }
    }

    @Test("many outputs at once get different names, and leave nothing in tmp")
    func parallel() async throws {
        let store = try AttachmentStore(at: root)
        let names = try await withThrowingTaskGroup(of: AttachmentIdentifier.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await store.store(ReadyRung([UInt8](repeating: UInt8(number), count: 100_000))).identifier
                }
            }
            return try await group.reduce(into: Set<AttachmentIdentifier>()) { $0.insert($1) }
        }
        #expect(names.count == 50)
        #expect(folder.files.filter { $0.contains("tmp/") } == [])
    }

    @Test(
        "a crashed process's files in tmp are swept at the next start; a live one's folder and other files stay (T5)"
    )
    func sweep() async throws {
        let live = try AttachmentStore(at: root)
        let crashed = "\(root)/tmp/\(Base32.random())"
        let foreign = "\(root)/tmp/notes.txt"
        try FileManager.default.createDirectory(atPath: crashed, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: "\(crashed)/half.jpg"))
        try Data([2]).write(to: URL(filePath: foreign))
        let second = try AttachmentStore(at: root)
        #expect(!FileManager.default.fileExists(atPath: crashed))
        #expect(FileManager.default.fileExists(atPath: foreign))
        try await live.checkWritable()
        try await second.checkWritable()
    }

    @Test("a link in place of a folder is refused (T2, T3)", arguments: ["attachments", "tmp"])
    func plantedLink(name: String) throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: "/etc")
        #expect(throws: FileError.self) { _ = try AttachmentStore(at: root) }
    }

    @Test("a store that cannot be made is an error with the location and a remedy")
    func unwritable() throws {
        try Data().write(to: folder.url.appending(path: "file"))
        let error = try #require(throws: FileError.self) { _ = try AttachmentStore(at: "\(folder.path)/file/store") }
        #expect(error.description.contains("--store"))
        #expect(error.path.contains("file"))
    }

    @Test("the same content is one file with one name, which another key makes different")
    func contentAddressed() async throws {
        let store = try AttachmentStore(at: root)
        let first = try await store.store(ReadyRung([1, 2, 3]))
        let second = try await store.store(ReadyRung([1, 2, 3]))
        let other = try await store.store(ReadyRung([1, 2, 4]))
        #expect(first.identifier == second.identifier && first.identifier != other.identifier)
        #expect(store.usage == .init(fileCount: 2, byteCount: 6))
        let elsewhere = try AttachmentStore(at: "\(folder.path)/elsewhere")
        #expect(try await elsewhere.store(ReadyRung([1, 2, 3])).identifier != first.identifier)
    }

    @Test("after a restart the keys, the names and the files' records are the same")
    func restart() async throws {
        let first = try AttachmentStore(at: root)
        let file = try await first.store(ReadyRung([1, 2, 3]))
        let second = try AttachmentStore(at: root)
        #expect(second.usage == .init(fileCount: 1, byteCount: 3) && second.keys == first.keys)
        #expect(try await second.startAccessing(file.identifier)?.byteCount == 3)
        #expect(try await second.store(ReadyRung([1, 2, 3])).identifier == file.identifier)
    }

    @Test("invalid keys are refused, not replaced", arguments: ["", "short\n", "\n\n"])
    func brokenKeys(text: String) throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try folder.write(text, to: "store/signing.key")
        let error = try #require(throws: FileError.self) { _ = try AttachmentStore(at: root) }
        #expect(error.description.contains("signing.key"))
        #expect(try String(contentsOfFile: "\(root)/signing.key", encoding: .utf8) == text)
    }

    @Test("a file that another process stored is found, and one that it removed is forgotten")
    func shared() async throws {
        let (one, other) = (try AttachmentStore(at: root), try AttachmentStore(at: root))
        let file = try await one.store(ReadyRung([1, 2, 3]))
        #expect(try await other.startAccessing(file.identifier)?.byteCount == 3)
        _ = try await one.store(ReadyRung([4]))
        await other.sweep()
        #expect(other.usage == one.usage)
        try FileManager.default.removeItem(atPath: file.path)
        await other.sweep()
        #expect(other.usage == .init(fileCount: 1, byteCount: 1))
        #expect(try await one.startAccessing(file.identifier) == nil)
        #expect(one.usage == .init(fileCount: 1, byteCount: 1))
    }

    @Test("foreign files in the folder are not counted, swept or served, and no link is followed")
    func foreign() async throws {
        let time = WallClock()
        let store = try AttachmentStore(at: root, retention: .init(keep: .seconds(1)), now: { time.now })
        let link = "\(Base32.random()).jpg"
        try Data([1]).write(to: URL(filePath: "\(root)/attachments/notes.txt"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/attachments/\(link)",
            withDestinationPath: "/etc/passwd"
        )
        time.advance(by: .seconds(3600))
        await store.sweep()
        #expect(store.usage.fileCount == 0)
        let identifier = try #require(AttachmentIdentifier(link))
        await #expect(throws: FileError.self) { try await store.startAccessing(identifier) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(root)/attachments").count == 2)
    }
}
