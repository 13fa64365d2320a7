import Base
import Foundation
import Glibc
import Support

/// A running `attachd serve` on a free port. The process ends with this value.
final class RunningSidecar: LocalServer, Sendable {
    let port: Int
    private let program: ChildProgram
    private let log: WatchedFile

    /// Starts the sidecar, and waits until it says which port it listens on.
    init(_ attachd: AttachdProgram, command: String = "serve", _ arguments: [String] = []) throws {
        let options = [
            command, "--listen", "127.0.0.1:0", "--store", attachd.store, "--allow-address", "127.0.0.1",
            "--log-format", "json", "--drain", "0",
        ]
        let file = attachd.folder.url.appending(path: "log-\(UUID().uuidString)")
        log = WatchedFile(file)
        program = try attachd.start(options + arguments, errors: file.path)
        port = try log.waitNow(for: "the port") { [program] text in
            guard Self.isAlive(program.identifier) else { throw HTTPClient.Failure(message: "serve ended: \(text)") }
            return text.firstMatch(of: /"port":"([0-9]+)"/).flatMap { Int($0.1) }
        }
    }

    var identifier: Int { program.identifier }

    /// The log so far.
    var logged: String { log.text }

    /// Waits until `count` lines of the log contain `words`.
    func waitForLog(_ words: String, count: Int = 1) async throws { try await log.wait(for: words, count: count) }

    /// Waits until `isSo`, which is asked again after each line of the log. Every change that a test waits for writes one.
    func untilLogged(_ isSo: () async throws -> Bool) async throws {
        while true {
            let count = logged.utf8.count
            if try await isSo() { return }
            try await log.wait(for: "another line") { $0.utf8.count > count ? () : nil }
        }
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
