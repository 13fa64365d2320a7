import Foundation
import Testing

@testable import NotificationAttachments

@Suite("Files in the system's attachment store")
struct ScopedFilesTests {
    /// The calls of start and stop, in order.
    private final class Calls {
        var list: [String] = []
    }

    private let calls = Calls()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func files(isAllowed: Bool = true) -> ScopedFiles {
        ScopedFiles(
            start: { [calls] in
                calls.list.append("start \($0.lastPathComponent)")
                return isAllowed
            },
            stop: { [calls] in calls.list.append("stop \($0.lastPathComponent)") }
        )
    }

    @Test("are read between a start and a stop")
    func read() throws {
        let file = folder.url.appending(path: "a.jpg")
        try Data("photo".utf8).write(to: file)
        #expect(files().read(file) == Data("photo".utf8))
        #expect(calls.list == ["start a.jpg", "stop a.jpg"])
    }

    @Test("are stopped also if they cannot be read")
    func missing() {
        #expect(files().read(folder.url.appending(path: "a.jpg")) == nil)
        #expect(calls.list == ["start a.jpg", "stop a.jpg"])
    }

    @Test("are not stopped if they were not started")
    func refused() throws {
        let file = folder.url.appending(path: "a.jpg")
        try Data("photo".utf8).write(to: file)
        let files = files(isAllowed: false)
        #expect(files.read(file) == Data("photo".utf8))
        files.hold(file)
        files.release()
        #expect(calls.list == ["start a.jpg", "start a.jpg"])
    }

    @Test("that play stay started until they are released, once each")
    func hold() {
        let files = files()
        files.hold(URL(filePath: "/a.mp4"))
        files.hold(URL(filePath: "/b.m4a"))
        #expect(calls.list == ["start a.mp4", "start b.m4a"])
        files.release()
        files.release()
        #expect(calls.list.suffix(2) == ["stop a.mp4", "stop b.m4a"])
        #expect(calls.list.count == 4)
    }

    @Test("are released with their owner")
    func owner() {
        files().hold(URL(filePath: "/a.mp4"))
        #expect(calls.list == ["start a.mp4", "stop a.mp4"])
    }
}
