import Foundation
import Synchronization
package import Testing

/// A real `redis-server` on a free port of loopback, with its data in a new folder. It ends with this value.
///
/// A test can kill it and start it again with the same data and port. It logs every write (AOF), once a second.
package final class RedisServer: Sendable {
    static let program = "/usr/bin/redis-server"

    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    package let port: Int
    /// The path of the authority to trust, in PEM form; `nil` without TLS.
    package let authoritiesFile: String?
    private let folder: TemporaryFolder
    private let arguments: [String]
    private let process: Mutex<ChildProgram?>

    /// Starts the server. `arguments` are added to those of `redis-server`.
    package init(
        usesTLS: Bool = false,
        certificateNames: String = TestCertificate.names,
        arguments: [String] = [],
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        authoritiesFile = usesTLS ? folder.url.appending(path: TestCertificate.certificate).path : nil
        if usesTLS { try TestCertificate.make(in: folder.url, names: certificateNames) }
        // Another process may take the port between its choice and the server's start.
        var started: (port: Int, arguments: [String], process: ChildProgram)?
        for _ in 0..<5 where started == nil {
            let port = try TestPort.free()
            let all = Self.arguments(port: port, usesTLS: usesTLS) + arguments
            if let process = try Self.start(all, in: folder.url) { started = (port, all, process) }
        }
        guard let started else { throw CocoaError(.executableLoad) }
        port = started.port
        self.arguments = started.arguments
        process = Mutex(started.process)
    }

    deinit { kill() }

    /// Kills the server at once, like a power loss.
    package func kill() {
        process.withLock { process in
            process?.kill()
            process = nil
        }
    }

    /// Starts a killed server again, and waits until it has read its data. `more` is added to its arguments.
    package func restart(_ more: String...) throws {
        guard let again = try Self.start(arguments + more, in: folder.url) else { throw CocoaError(.executableLoad) }
        process.withLock { $0 = again }
    }

    /// Stops the process without ending it: connections stay open, and nothing is answered.
    package func pause() {
        process.withLock { process in _ = process.map { Glibc.kill(pid_t($0.identifier), SIGSTOP) } }
    }

    package func resume() {
        process.withLock { process in _ = process.map { Glibc.kill(pid_t($0.identifier), SIGCONT) } }
    }

    /// Returns the output of `redis-cli` for `words`, without the last newline.
    @discardableResult
    package func command(_ words: String...) throws -> String { try command(words) }

    @discardableResult
    package func command(_ words: [String]) throws -> String {
        var options = ["/usr/bin/redis-cli", "-p", "\(port)"]
        if let authoritiesFile { options += ["--tls", "--cacert", authoritiesFile] }
        let client = try ChildProgram(options + words, in: folder.url)
        let output = String(decoding: try client.readToEnd(), as: UTF8.self)
        client.wait()
        return output.trimmingCharacters(in: .newlines)
    }

    private static func arguments(port: Int, usesTLS: Bool) -> [String] {
        let ports =
            usesTLS
            ? [
                "--port", "0", "--tls-port", "\(port)", "--tls-auth-clients", "no",
                "--tls-cert-file", TestCertificate.certificate, "--tls-key-file", TestCertificate.key,
                "--tls-ca-cert-file", TestCertificate.certificate,
            ] : ["--port", "\(port)"]
        return [program, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]
            + ports
    }

    /// Starts the process. Returns `nil` if it ends before it is ready.
    private static func start(_ arguments: [String], in folder: URL) throws -> ChildProgram? {
        let process = try ChildProgram(arguments, in: folder)
        if try process.readLine(where: { $0.contains("Ready to accept connections") }) != nil { return process }
        process.wait()
        return nil
    }
}

extension Trait where Self == ConditionTrait {
    /// A trait that runs a test only where Redis is installed.
    package static var needsRedis: Self { .enabled(if: RedisServer.isInstalled, "redis-server is not installed") }
}
