import Base
import Foundation
import Glibc
import Support
import Testing

/// Tests of a stalled thread that all work needs (SECURITY N9). One hostile answer used to cause that.
@Suite("A stalled loop", .timeLimit(.minutes(10)))
struct StalledLoopTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    private func isHeld(_ loop: String, by sidecar: RunningSidecar) async throws -> Bool {
        let answer = try await sidecar.get("/readyz")
        return answer.status == 503 && answer.text.contains("These internal loops have stalled: \(loop).")
    }

    @Test(
        "is named by /readyz, a metric and the log, and the worker is ready again afterwards",
        arguments: ["transfers", "decoders"]
    )
    func noticed(loop: String) async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            #expect(try await sidecar.get("/readyz").status == 200)
            var held: HeldThread? = try HeldThread(loop, of: sidecar.identifier, in: attachd.folder.url)
            try await eventually { try await isHeld(loop, by: sidecar) }
            let metrics = try await sidecar.get("/metrics").text
            let pattern = try Regex("\nattachd_loop_stalled_seconds\\{loop=\"\(loop)\"\\} [1-9]")
            #expect(metrics.contains(pattern))
            #expect(sidecar.logged.contains("An internal loop has stalled."))
            held = nil
            try await eventually { try await sidecar.get("/readyz").status == 200 }
            #expect(held == nil)
        }
    }

    @Test("of one site holds back neither other sites nor the worker")
    func oneSite() async throws {
        let origin = try OriginServer { _ in .stall(after: 10, of: [UInt8](repeating: 1, count: 1000)) }
        let other = try OriginServer(address: "127.0.1.1") { _ in .body([1, 2, 3]) }
        defer {
            origin.stop()
            other.stop()
        }
        try await RunningSidecar.run(attachd, ["--allow-address", "127.0.1.1"]) { sidecar in
            async let answer = sidecar.post(origin.url("/a.jpg"), deadline: "20s")
            await origin.arrival(of: 1)
            let held = try HeldThread("downloads", of: sidecar.identifier, in: attachd.folder.url)
            _ = try await sidecar.post(other.url("/b.jpg"), deadline: "10s")
            #expect(other.requests.count == 1)
            #expect(try await sidecar.get("/readyz").status == 200)
            // Nobody waits for the thread that stands still.
            _ = try? await answer
            withExtendedLifetime(held) {}
        }
    }

    @Test("doesn't keep SIGTERM from ending the process, even with a job that can't end")
    func ends() async throws {
        let reached = Signal()
        let origin = try OriginServer { _ in
            reached.send()
            return .silence
        }
        defer { origin.stop() }
        let sidecar = try RunningSidecar(attachd)
        async let answer = sidecar.post(origin.url("/a.jpg"), deadline: "300s")
        await reached.wait()
        // With the watch itself held, nobody abandons the site's thread.
        let held = try ["transfers", "downloads"].map {
            try HeldThread($0, of: sidecar.identifier, in: attachd.folder.url)
        }
        sidecar.terminate()
        _ = try? await answer
        #expect(sidecar.wait() == 1)
        #expect(sidecar.logged.contains("attachd stopped before all work was done: some requests have no answer."))
        withExtendedLifetime(held) {}
    }
}
