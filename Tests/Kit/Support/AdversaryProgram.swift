import Foundation

/// A hostile server of `Scripts/adversaries.py`, as a process.
package final class AdversaryProgram {
    /// The path of the authority to trust, in PEM form.
    package let authoritiesFile: String
    private let address: String
    private let scheme: String
    private let port: String
    private let folder: URL
    private let server: ChildProgram
    private let hasBegun = Signal()

    /// Starts the server, such as `tickets`, `key-updates` or `tls13:interim`. `address` is one of 127.5.1.1 to
    /// 127.5.200.1, each a site of its own, or `::1`.
    package init(_ name: String, address: String = "127.5.1.1") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "adversary-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        authoritiesFile = folder.appending(path: "authority.pem").path
        self.address = address
        let script = URL(filePath: #filePath).resolvingSymlinksInPath().appending(
            path: "../../../../Scripts/adversaries.py"
        )
        server = try ChildProgram(
            ["/usr/bin/python3", script.standardizedFileURL.path, folder.path, name],
            in: folder,
            environment: ProcessInfo.processInfo.environment.merging(["ATTACK_SECONDS": "10"]) { $1 },
        )
        let found = try server.readLine { $0.hasPrefix("http") }?.split(separator: " ").map(String.init) ?? []
        guard found.count == 2 else {
            server.kill()
            throw CocoaError(.fileReadUnknown)
        }
        (scheme, port) = (found[0], found[1])
        Thread.detachNewThread { [server, hasBegun] in
            _ = try? server.readLine(beginning: "begun")
            hasBegun.send()
        }
    }

    deinit {
        server.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Waits until a flood has gone on for a fifth of a second, or has ended.
    package func waitUntilBegun() async { await hasBegun.wait() }

    package var url: String { "\(scheme)://\(address.contains(":") ? "[\(address)]" : address):\(port)/it.jpg" }
}
