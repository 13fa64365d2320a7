import Foundation
import Glibc
import Support
import Timing

/// A running `attachd serve` on a free port. The process ends with this value.
final class RunningSidecar: Sendable {
    let port: Int
    private let program: ChildProgram
    private let log: String

    /// Starts the sidecar, and waits until it says which port it listens on.
    init(_ attachd: AttachdProgram, command: String = "serve", _ arguments: [String] = []) throws {
        let options = [
            command, "--listen", "127.0.0.1:0", "--store", attachd.store, "--allow-address", "127.0.0.1",
            "--log-format", "json",
        ]
        log = attachd.folder.url.appending(path: "log-\(UUID().uuidString)").path
        program = try attachd.start(options + arguments, errors: log)
        let pattern = /"port":"([0-9]+)"/
        var port: Int?
        while port == nil {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            guard Self.isAlive(program.identifier) else { throw HTTPClient.Failure(message: "serve ended: \(text)") }
            port = (try? pattern.firstMatch(in: text)).flatMap { Int($0.1) }
        }
        self.port = port ?? 0
    }

    var identifier: Int { program.identifier }

    /// The log so far.
    var logged: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Waits for at most twenty seconds until a line of the log contains `words`.
    func waitForLog(_ words: String) async throws {
        for _ in 0..<1000 {
            if try String(contentsOfFile: log, encoding: .utf8).contains(words) { return }
            usleep(20_000)
        }
        throw HTTPClient.Failure(message: "The log never said \(words).")
    }

    /// Asks the sidecar to end, as systemd and Kubernetes do.
    func terminate() { program.terminate() }

    /// Waits for the end of the sidecar. Each test must end its sidecar and call this.
    func wait() -> Int32 { program.wait() }

    /// Runs `body` beside a sidecar, and ends the sidecar afterwards.
    static func run(
        _ attachd: AttachdProgram,
        command: String = "serve",
        _ arguments: [String] = [],
        _ body: (RunningSidecar) async throws -> Void,
    ) async throws {
        let sidecar = try RunningSidecar(attachd, command: command, arguments)
        defer {
            sidecar.terminate()
            _ = sidecar.wait()
        }
        try await body(sidecar)
    }

    /// Returns the processes whose parent is `parent`.
    static func children(of parent: Int) -> [Int] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int($0) }.filter { isAlive($0) && status($0).contains("\nPPid:\t\(parent)\n") }
    }

    /// Returns whether the process runs; a process that only waits to be reaped does not.
    static func isAlive(_ process: Int) -> Bool {
        let status = status(process)
        return !status.isEmpty && !status.contains("\nState:\tZ")
    }

    private static func status(_ process: Int) -> String {
        (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    }

    var zygote: Int? { Self.children(of: identifier).first }

    var decoders: [Int] { zygote.map(Self.children) ?? [] }

    func post(_ url: String, deadline: String = "20s") async throws -> HTTPClient.Answer {
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}"#
        return try await HTTPClient.send(
            "POST",
            path: "/v1/notifications",
            port: port,
            body: Array("{\"deadline\":\"\(deadline)\",\"payload\":\(payload)}".utf8),
        )
    }

    func get(_ path: String) async throws -> HTTPClient.Answer { try await HTTPClient.send(path: path, port: port) }
}
