import Base
import Files
import Foundation
import Glibc
import Media
import Support
import Testing

@testable import Storage

/// Tests of SECURITY.md, T2: a store that another user prepared is refused.
@Suite("A store that another user prepared (T2)", .timeLimit(.minutes(10)))
struct OwnershipTests {
    static let stranger: uid_t = 12_345

    let folder: TemporaryFolder
    let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.url.appending(path: "store").path
    }

    private func chown(_ path: String) throws {
        guard geteuid() == 0 else { try Test.cancel("only root can give a file to another user") }
        try #require(unsafe Glibc.lchown(path, Self.stranger, Self.stranger) == 0)
    }

    /// Makes a store with one file, and returns the file's name.
    private func makeStore() async throws -> String {
        try await AttachmentStore(at: root).store(ReadyRung([1, 2, 3])).identifier.description
    }

    private func refusal() throws -> FileError {
        let error = try #require(throws: FileError.self) { _ = try AttachmentStore(at: root) }
        #expect(error.isUntrusted, "\(error)")
        return error
    }

    @Test("a group may read the ready files, old and new, and enter the store, and nothing else")
    func group() async throws {
        let name = unsafe getgrgid(getegid()).map { unsafe String(cString: $0.pointee.gr_name) } ?? ""
        let group = try #require(SystemGroup(named: name))
        let old = try await makeStore()
        let store = try AttachmentStore(at: root, group: group)
        let new = try await store.store(ReadyRung([4, 5])).identifier.description
        func mode(_ name: String) throws -> mode_t {
            var status = stat()
            try #require(unsafe lstat("\(root)/\(name)", &status) == 0)
            #expect(status.st_gid == getegid())
            return status.st_mode & 0o777
        }
        #expect(try mode("") == 0o710 && mode("attachments") == 0o750)
        for name in [old, new] { #expect(try mode("attachments/\(name)") == 0o640) }
        for name in try FileManager.default.contentsOfDirectory(atPath: root) where name != "attachments" {
            #expect(try mode(name) & 0o077 == 0, "\(name)")
        }
        // Without the group, the store is closed again.
        _ = try AttachmentStore(at: root)
        #expect(try mode("attachments") == 0o700)
        #expect(SystemGroup(named: "no-such-group") == nil)
    }

    @Test("another user's store, open to all and with that user's key, is refused")
    func foreignStore() throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try folder.write(String(repeating: "k", count: 40), to: "store/signing.key")
        unsafe chmod(root, 0o777)
        for path in [root, "\(root)/signing.key"] { try chown(path) }
        let error = try refusal()
        #expect(error.description.contains("belongs to user \(Self.stranger)"))
        #expect(error.description.contains("chown"))
        #expect(!FileManager.default.fileExists(atPath: "\(root)/attachments"))
    }

    @Test("another user's entry in it is refused", arguments: ["attachments", "tmp", "signing.key", "file", "notes"])
    func foreignContent(what: String) async throws {
        let name = try await makeStore()
        try folder.write("", to: "store/attachments/notes")
        let path =
            switch what {
            case "file": "\(root)/attachments/\(name)"
            case "notes": "\(root)/attachments/notes"
            default: "\(root)/\(what)"
            }
        try chown(path)
        #expect(try refusal().path == path)
    }

    @Test(
        "a link in place of a folder, a key or a file is refused",
        arguments: ["", "/attachments", "/tmp", "/signing.key"]
    )
    func link(what: String) async throws {
        _ = try await makeStore()
        try FileManager.default.moveItem(atPath: root + what, toPath: "\(folder.path)/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: root + what, withDestinationPath: "\(folder.path)/elsewhere")
        for suffix in what.isEmpty && geteuid() == 0 ? ["", "/", "/."] : [""] {
            #expect(throws: FileError.self) { _ = try AttachmentStore(at: root + suffix) }
        }
    }

    @Test("a ready file that is a link is refused at the start")
    func linkedFile() async throws {
        let name = try await makeStore()
        try FileManager.default.removeItem(atPath: "\(root)/attachments/\(name)")
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/attachments/\(name)",
            withDestinationPath: "/etc/passwd"
        )
        #expect(try refusal().path.hasSuffix(name))
    }

    @Test("a ready file of another user that appears later is not served")
    func later() async throws {
        let store = try AttachmentStore(at: root)
        let name = try await store.store(ReadyRung([1, 2, 3])).identifier
        try chown("\(root)/attachments/\(name)")
        await #expect(throws: FileError.self) { _ = try await store.startAccessing(name) }
    }

    @Test("a store that everybody can write to is refused", arguments: ["", "/attachments", "/tmp"])
    func open(what: String) async throws {
        _ = try await makeStore()
        unsafe chmod(root + what, 0o777)
        let error = try refusal()
        #expect(error.path == root + what && error.description.contains("chmod o-w"))
    }

    @Test("folders that were opened to a volume's group are closed to it again")
    func groupWritable() async throws {
        _ = try await makeStore()
        unsafe chmod("\(root)/attachments", 0o2770)
        _ = try AttachmentStore(at: root)
        var status = stat()
        #expect(unsafe stat("\(root)/attachments", &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test("a root-owned mount point that is open to all is accepted as a store, for root and for another user")
    func mountPoint() throws {
        guard let disk = try SmallDisk(mode: "777") else {
            try Test.cancel("mounting a small file system needs the right to mount")
        }
        _ = try AttachmentStore(at: disk.path)
        let other = try #require(try SmallDisk(mode: "777"))
        unsafe chmod(folder.path, 0o755)
        let user = ["setpriv", "--reuid=\(Self.stranger)", "--regid=\(Self.stranger)", "--clear-groups"]
        let program = try ChildProgram(
            ["/usr/bin/env"] + user + [BuiltProgram.path("store-forever"), other.path],
            in: URL(filePath: "/")
        )
        defer { program.kill() }
        #expect(try program.readLine(beginning: "") != nil)
        // Another user's files in it are not root's.
        #expect(throws: FileError.self) { _ = try AttachmentStore(at: other.path) }
    }

    @Test("the store's own key follows the same rules")
    func ownKey() async throws {
        _ = try await makeStore()
        unsafe chmod("\(root)/signing.key", 0o640)
        let error = try #require(throws: FileError.self) { _ = try AttachmentStore(at: root) }
        #expect(error.concernsSecret && error.description.contains("--group-readable-keys"))
        _ = try AttachmentStore(at: root, hasGroupReadableKeys: true)
    }

    @Test("a key that is replaced while the store is open signs from then on; old links are valid with it")
    func replacedKeys() async throws {
        let store = try AttachmentStore(at: root)
        let signer = URLSigner(keys: store.keyring)
        let identifier = try await store.store(ReadyRung([1])).identifier
        let old = store.urls(below: "").url(of: identifier, expires: 9)
        let signature = try #require(old.split(separator: "=").last).description
        let oldText = try String(contentsOfFile: store.keyFile, encoding: .utf8)
        let newText = String(repeating: "n", count: 40) + "\n" + oldText
        try folder.write(newText, to: "store/signing.key")
        #expect(try store.keyring.replace(with: SigningKeys(reading: SecretFile(store.keyFile))))
        #expect(signer.verify(signature, of: identifier, expires: 9))
        #expect(store.urls(below: "").url(of: identifier, expires: 9) != old)
        try folder.write(String(repeating: "n", count: 40), to: "store/signing.key")
        #expect(try store.keyring.replace(with: SigningKeys(reading: SecretFile(store.keyFile))))
        #expect(!signer.verify(signature, of: identifier, expires: 9))
    }
}
