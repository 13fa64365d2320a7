import Foundation
import Glibc
import Support
import Testing

@Suite("As the first process of a container", .timeLimit(.minutes(10)))
struct FirstProcessTests {
    private static let unshare = "/usr/bin/unshare"
    private static var isPossible: Bool {
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: unshare)
    }

    /// Returns the zombies that are children of `parent`.
    private func zombies(of parent: Int) -> [Int] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int($0) }.filter { process in
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            return status.contains("\nPPid:\t\(parent)\n") && status.contains("\nState:\tZ")
        }
    }

    @Test("the decoders of a killed zygote leave no zombies", .enabled(if: isPossible, "needs root and unshare"))
    func orphans() async throws {
        var attachd = try AttachdProgram()
        attachd.launcher = [Self.unshare, "--pid", "--fork", "--kill-child", "--mount-proc"]
        let origin = try OriginServer { _ in .status(404) }
        defer { origin.stop() }
        let launched = try RunningSidecar(attachd)
        let worker = try #require(RunningSidecar.children(of: launched.identifier).first)
        for _ in 0..<3 {
            var zygote: Int?
            try await eventually {
                zygote = RunningSidecar.children(of: worker).first { !RunningSidecar.children(of: $0).isEmpty }
                return zygote != nil
            }
            kill(pid_t(zygote ?? 0), SIGKILL)
            try await eventually { zygote.map(RunningSidecar.isAlive) != true }
        }
        try await eventually { zombies(of: worker).isEmpty }
        #expect(try await launched.post(origin.url("/a.jpg")).status == 200)
        kill(pid_t(worker), SIGTERM)
        #expect(launched.wait() == 0)
    }
}
