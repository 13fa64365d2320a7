import Base
import Files
import Foundation
import Glibc
import Support
import Testing

@Suite("Open folders (T2, T3)")
struct DirectoryTests {
    let folder: TemporaryFolder
    let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.url.appending(path: "root").path
    }

    /// Both ways to open a folder, which have different rules for its entries.
    static let openings: [@Sendable (String) throws -> Directory] = [
        { try Directory.create($0, option: "--store") },
        { path in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return try Directory.open(path)
        },
    ]

    private func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(unsafe lstat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test(
        "no name leads out of a folder",
        arguments: openings.indices,
        ["", ".", "..", "../x", "/etc/passwd", "a/b", "a\u{0}b"]
    )
    func climbing(opening: Int, name: String) throws {
        let directory = try Self.openings[opening](root)
        #expect(throws: FileError.self) { _ = try directory.createFile(name.utf8) }
        #expect(throws: FileError.self) { _ = try directory.openFile(name.utf8) }
        #expect(throws: FileError.self) { _ = try directory.openForAppending(name.utf8) }
        #expect(throws: FileError.self) { _ = try directory.subdirectory(name.utf8) }
        #expect(throws: FileError.self) { try directory.remove(name.utf8) }
        #expect(throws: FileError.self) { try directory.move("file".utf8, to: directory, as: name.utf8) }
        #expect(directory.status(of: name.utf8) == nil && !directory.touch(name.utf8, at: .now))
    }

    @Test("no link is followed", arguments: openings.indices)
    func links(opening: Int) throws {
        let directory = try Self.openings[opening](root)
        for (name, target) in [("file", "/etc/passwd"), ("folder", "/etc")] {
            try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
        }
        #expect(throws: FileError.self) { _ = try directory.openFile("file".utf8) }
        #expect(throws: FileError.self) { _ = try directory.openForAppending("file".utf8) }
        #expect(throws: FileError.self) { _ = try directory.createFile("file".utf8) }
        let error = try #require(throws: FileError.self) { _ = try directory.subdirectory("folder".utf8) }
        #expect(error.isUntrusted == (opening == 0), "\(error)")
        #expect(directory.status(of: "file".utf8).map { $0.st_mode & S_IFMT } == S_IFLNK)
    }

    @Test("a pipe is not opened as a file, and doesn't block", arguments: openings.indices)
    func pipe(opening: Int) throws {
        let directory = try Self.openings[opening](root)
        #expect(unsafe mkfifo("\(root)/pipe", 0o600) == 0)
        #expect(throws: FileError.self) { _ = try directory.openFile("pipe".utf8) }
    }

    @Test("a folder of this user hides new entries from other users; another leaves it to the umask")
    func modes() throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        close(unsafe open("\(root)/file", O_WRONLY | O_CREAT, 0o666))
        unsafe mkdir("\(root)/folder", 0o777)
        let usual = (file: try mode(of: "\(root)/file"), folder: try mode(of: "\(root)/folder"))
        for (opening, expected) in [(0, (file: 0o600, folder: 0o700)), (1, usual)] {
            let path = "\(root)-\(opening)"
            let directory = try Self.openings[opening](path)
            close(try directory.createFile("made".utf8))
            close(try directory.openForAppending("appended".utf8))
            _ = try directory.subdirectory("folder".utf8)
            #expect(try mode(of: "\(path)/made") == expected.file)
            #expect(try mode(of: "\(path)/appended") == expected.file)
            #expect(try mode(of: "\(path)/folder") == expected.folder)
        }
    }

    @Test("only a folder for this user refuses files of another user", arguments: openings.indices)
    func strangers(opening: Int) throws {
        guard geteuid() == 0 else { try Test.cancel("only root can give a file to another user") }
        let directory = try Self.openings[opening](root)
        try folder.write("text", to: "root/file")
        try #require(unsafe lchown("\(root)/file", 12_345, 12_345) == 0)
        guard opening == 0 else {
            close(try #require(try directory.openFile("file".utf8)).descriptor)
            return
        }
        let error = try #require(throws: FileError.self) { _ = try directory.openFile("file".utf8) }
        #expect(error.isUntrusted && error.path == "\(root)/file")
    }

    @Test("names need not be UTF-8, and a missing file is nil")
    func names() throws {
        let directory = try Self.openings[0](root)
        let name: [UInt8] = [0xFF, 0xFE]
        close(try directory.createFile(name))
        #expect(try directory.entries().map(\.name) == [name] && directory.names.count == 1)
        #expect(try directory.openFile("other".utf8) == nil)
        try directory.move(name, to: directory, as: "text".utf8)
        #expect(directory.names == ["text"])
    }

    @Test("an error says what failed, at which path, and what to do with the option")
    func advice() throws {
        try folder.write("", to: "file")
        let path = "\(folder.path)/file/store"
        let error = try #require(throws: FileError.self) { _ = try Directory.create(path, option: "--store") }
        #expect(
            error.description
                == "Cannot create \(path): Not a directory. Choose another --store: it and its folders must be real "
                + "folders, not links or files."
        )
        #expect(FileError("open", "/x", ENOSPC).description == "Cannot open /x: No space left on device")
    }
}
