import Files
import Foundation
import Media
import Support
import Testing

@testable import Storage

@Suite("A store whose process is killed", .timeLimit(.minutes(10)))
struct CrashTests {
    /// The number of kills; `ATTACHD_KILLS=200 Scripts/test --filter CrashTests` asks for more.
    static let kills = ProcessInfo.processInfo.environment["ATTACHD_KILLS"].flatMap { Int($0) } ?? 8

    @Test("(T4) has no broken file, no orphan after the next start, and an index that agrees with its files")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let root = folder.url.appending(path: "store").path
        for _ in 0..<Self.kills {
            let program = try ChildProgram([BuiltProgram.path("store-forever"), root], in: folder.url)
            var last: String?
            for _ in 0..<Int.random(in: 1...40) { last = try program.readLine(beginning: "") }
            program.kill()

            let ready = try FileManager.default.contentsOfDirectory(atPath: "\(root)/attachments")
            #expect(last.map(ready.contains) == true, "every name that was printed as stored has its file")
            let store = try AttachmentStore(at: root)
            #expect(folder.files.filter { $0.hasPrefix("store/tmp/") } == [])
            var byteCount = 0
            for name in ready {
                // The name determines the file's content.
                let identifier = try #require(AttachmentIdentifier(name))
                let content = try Data(contentsOf: URL(filePath: "\(root)/attachments/\(name)"))
                let sha256 = try digest(of: content)
                #expect(AttachmentIdentifier(sha256: sha256, format: .jpeg, key: store.keys.current) == identifier)
                #expect(try await store.startAccessing(identifier)?.byteCount == content.count)
                byteCount += content.count
            }
            #expect(store.usage == .init(fileCount: ready.count, byteCount: byteCount))
        }
    }

    private func digest(of content: Data) throws -> String {
        let rung = try ReadyRung([UInt8](content))
        let nowhere = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
        return try FileContent.copy(
            content.count,
            from: rung.file.descriptor,
            to: nowhere.fileDescriptor,
            named: "nowhere"
        )
    }
}
