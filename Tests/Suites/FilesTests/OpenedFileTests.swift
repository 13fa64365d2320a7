import Files
import Foundation
import Glibc
import Support
import Testing

@Suite("A file that is opened for reading")
struct OpenedFileTests {
    @Test("is a regular file, and nothing else")
    func regular() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "file").path
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        #expect(OpenedFile(path)?.size == 3)
        let pipe = folder.url.appending(path: "pipe").path
        let isMade = unsafe mkfifo(pipe, 0o600) == 0
        #expect(isMade)
        for other in [folder.url.path, pipe, path + "-missing"] { #expect(OpenedFile(other) == nil, "\(other)") }
    }
}
