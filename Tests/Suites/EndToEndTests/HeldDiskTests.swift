import Base
import Foundation
import Payloads
import Support
import Testing

@Suite("A disk that hangs (L2)", .timeLimit(.minutes(10)))
struct HeldDiskTests {
    private let attachd: AttachdProgram
    private let origin: OriginServer
    private let held: String
    private let threads: String

    init() throws {
        var attachd = try AttachdProgram()
        held = attachd.folder.url.appending(path: "held").path
        threads = attachd.folder.url.appending(path: "threads").path
        let library = URL(filePath: AttachdProgram.path).deletingLastPathComponent().appending(path: "libHeldDisk.so")
        try #require(FileManager.default.fileExists(atPath: library.path))
        attachd.environment = [
            "LD_PRELOAD": library.path, "HELD_BELOW": attachd.store, "HELD_WHILE": held, "HELD_THREADS": threads,
        ]
        self.attachd = attachd
        let photo = SampleMedia.photo
        origin = try OriginServer { _ in .body(photo) }
    }

    /// The calls that were made on a thread of Swift's pool.
    private var found: String { (try? String(contentsOfFile: threads, encoding: .utf8)) ?? "" }

    private func outcome(_ sidecar: RunningSidecar, _ path: String, deadline: String = "20s") async throws -> String? {
        try JSONValue(parsing: try await sidecar.post(origin.url(path), deadline: deadline).body)["outcome"]?.text
    }

    @Test("L2: no call that waits for the disk is made on a thread of Swift's pool")
    func pool() async throws {
        defer { origin.stop() }
        let sidecar = try RunningSidecar(attachd, ["--public-url", "https://push.example", "--keep", "2s"])
        for path in ["/a.jpg", "/b.jpg"] { #expect(try await outcome(sidecar, path) == "complete") }
        // A ready file is renewed once a second.
        let second = UnixTime.now.seconds
        var isLater = false
        while !isLater {
            isLater = UnixTime.now.seconds > second
            #expect(try await outcome(sidecar, "/a.jpg") == "complete")
        }
        #expect(try await sidecar.get("/readyz").status == 200)
        let job = #"{"payload":{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(origin.url("/c.jpg"))"}}"#
        let queued = try await sidecar.send("POST", "/v1/jobs?wait=20s", job)
        #expect((200...202).contains(queued.status), "\(queued.text)")
        let forgotten = try await attachd.run([
            "forget", origin.url("/a.jpg"), "--store", attachd.store, "--listen", "127.0.0.1:\(sidecar.port)",
        ])
        #expect(forgotten.status == 0, "\(forgotten.errors)")
        // The next sweep removes what has expired.
        try await eventually { attachd.folder.files.allSatisfy { !$0.hasPrefix("store/attachments/") } }
        sidecar.terminate()
        #expect(sidecar.wait() == 0)
        #expect(found == "")
    }

    @Test(
        "L2: while a call hangs, other work goes on, what needs the call goes out in time, and the process ends",
        arguments: [("fsync", "original"), ("rename", "original"), ("flock", "original"), ("unlink", "complete")]
    )
    func hangs(call: String, outcome expected: String) async throws {
        defer { origin.stop() }
        var attachd = attachd
        attachd.environment["HELD_CALLS"] = call
        let options = ["--decoders", "2", "--queue", "sqlite:\(attachd.folder.url.path)/queue.sqlite"]
        let sidecar = try RunningSidecar(attachd, options)
        #expect(try await outcome(sidecar, "/before.jpg") == "complete")
        try Data().write(to: URL(filePath: held))
        let deadline = expected == "complete" ? "60s" : "4s"
        // More than there are threads for the disk.
        let waiting = (0..<20).map { number in
            Task { try await outcome(sidecar, "/\(number).jpg", deadline: deadline) }
        }
        let plain = #"{"deadline":"2s","payload":{"aps":{"alert":"Hi"}}}"#
        let answer = try await sidecar.send("POST", "/v1/notifications", plain)
        #expect(answer.status == 200)
        #expect(try await sidecar.get("/livez").status == 200)
        for task in waiting { #expect(try await task.value == expected) }
        // On a busy machine the threads for the disk have not been held for long yet.
        let readiness = try await sidecar.untilStatus(503)
        #expect(readiness.text.contains("The disk of the store"), "\(readiness.text)")
        #expect(try await sidecar.get("/livez").status == 200)
        try FileManager.default.removeItem(atPath: held)
        _ = try await sidecar.untilStatus(200)
        #expect(try await outcome(sidecar, "/after.jpg") == "complete")
        try Data().write(to: URL(filePath: held))
        #expect(try await outcome(sidecar, "/last.jpg", deadline: deadline) == expected)
        sidecar.terminate()
        #expect(sidecar.wait() == 0)
        #expect(found == "")
    }
}

extension RunningSidecar {
    /// Asks whether the worker is ready until the answer has that status.
    fileprivate func untilStatus(_ status: Int) async throws -> HTTPClient.Answer {
        while true {
            let answer = try await get("/readyz")
            if answer.status == status { return answer }
            try Task.checkCancellation()
        }
    }
}
