import Files
import Glibc
import Support
import Testing

@Suite("Secret files (T2)")
struct SecretFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a secret that others can read is refused; one that its group can read needs permission")
    func secrets() throws {
        let path = try folder.write("secret\n", to: "secret")
        #expect(try SecretFile(path).read() == "secret\n")
        for (mode, isGroupReadable, isRead) in [
            (0o600, false, true), (0o400, false, true), (0o640, false, false), (0o640, true, true), (0o440, true, true),
            (0o660, true, true), (0o604, true, false), (0o644, true, false), (0o602, true, false),
        ] {
            unsafe chmod(path, mode_t(mode))
            let file = SecretFile(path, isGroupReadable: isGroupReadable)
            if isRead {
                #expect(try file.read() == "secret\n")
            } else {
                let error = try #require(throws: FileError.self) { _ = try file.read() }
                #expect(error.concernsSecret && error.description.contains("chmod 600"))
                #expect(error.description.contains("--group-readable-keys") == (mode & 0o007 == 0))
            }
        }
    }

    @Test("a secret of another user is refused, and so is one that is too long or not a file")
    func foreignSecret() throws {
        let path = try folder.write(String(repeating: "s", count: SecretFile.byteLimit + 1), to: "secret")
        #expect(throws: FileError.self) { _ = try SecretFile(path).read() }
        #expect(throws: FileError.self) { _ = try SecretFile("/dev/zero").read() }
        try folder.write("secret", to: "secret")
        guard geteuid() == 0 else { try Test.cancel("only root can give a file to another user") }
        try #require(unsafe lchown(path, 12_345, 12_345) == 0)
        let error = try #require(throws: FileError.self) { _ = try SecretFile(path).read() }
        #expect(error.concernsSecret && error.description.contains("chown"))
    }
}
