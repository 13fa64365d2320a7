import Files
import Foundation
import Glibc
import Storage
import Support
import Testing

/// Tests of SECURITY.md, T8: a store that another user could replace by one of their own is refused.
@Suite("A store below a folder of other users (T8)")
struct ParentFolderTests {
    static let stranger: uid_t = 12_345

    let folder: TemporaryFolder
    /// The folder above the store.
    let parent: String

    init() throws {
        folder = try TemporaryFolder()
        parent = folder.url.appending(path: "shared").path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    }

    private func give(_ path: String) throws {
        guard geteuid() == 0 else { try Test.cancel("only root can give a file to another user") }
        try #require(unsafe Glibc.lchown(path, Self.stranger, Self.stranger) == 0)
    }

    private func refusal(_ store: String) throws -> FileError {
        let error = try #require(throws: FileError.self) { _ = try AttachmentStore(at: store) }
        #expect(error.isUntrusted && error.description.contains("--store"), "\(error)")
        return error
    }

    @Test(
        "a folder that others can write to is refused, at any height, and the error says what to do",
        arguments: [0o770, 0o707, 0o777, 0o2775] as [mode_t],
        ["/store", "/a/b/store"],
    )
    func writable(mode: mode_t, store: String) throws {
        _ = try AttachmentStore(at: parent + store)
        unsafe chmod(parent, mode)
        let error = try refusal(parent + store)
        #expect(error.path == parent && error.description.contains("chmod go-w \(parent)"))
        #expect(throws: FileError.self) { _ = try AttachmentStore(at: "\(parent)/new") }
    }

    @Test("a sticky folder, such as /tmp, is accepted", arguments: [0o1777, 0o1770] as [mode_t])
    func sticky(mode: mode_t) throws {
        unsafe chmod(parent, mode)
        _ = try AttachmentStore(at: "\(parent)/store")
    }

    @Test("another user's folder is refused, even if only that user can write to it")
    func foreign() throws {
        _ = try AttachmentStore(at: "\(parent)/store")
        try give(parent)
        let error = try refusal("\(parent)/store")
        #expect(error.path == parent && error.description.contains("user \(Self.stranger)"))
    }

    @Test("the same holds for the folders above a link on the way, and for the link", arguments: [true, false])
    func link(isForeign: Bool) throws {
        let link = "\(folder.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "shared/deep")
        try FileManager.default.createDirectory(atPath: "\(parent)/deep", withIntermediateDirectories: true)
        _ = try AttachmentStore(at: "\(link)/store")
        if isForeign { try give(link) } else { unsafe chmod(parent, 0o777) }
        #expect(try refusal("\(link)/store").path == (isForeign ? link : parent))
    }
}
