import Foundation
import Support
import Testing

@Suite("A queue whose file is removed", .timeLimit(.minutes(10)))
struct QueueWarningTests {
    @Test("readiness, metrics and the log report it, and the file is written again")
    func removed() async throws {
        let attachd = try AttachdProgram()
        try await RunningSidecar.run(attachd) { sidecar in
            #expect(try await !sidecar.get("/readyz").text.contains("queue"))
            let metric = #"attachd_queue_problem{kind="fileRemoved"}"#
            #expect(try await sidecar.get("/metrics").text.contains("\n\(metric) 0\n"))
            try FileManager.default.removeItem(atPath: "\(attachd.store)/queue.sqlite")
            try await sidecar.waitForLog("was removed or replaced")
            let ready = try await sidecar.get("/readyz")
            #expect(ready.status == 200 && ready.text.contains("was removed or replaced"))
            #expect(try await sidecar.get("/metrics").text.contains("\n\(metric) 1\n"))
            #expect(FileManager.default.fileExists(atPath: "\(attachd.store)/queue.sqlite"))
        }
    }
}
