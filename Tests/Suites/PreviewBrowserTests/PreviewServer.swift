import Base
import Foundation
import Payloads
import Support

/// A preview on loopback with the samples' media, the sample webhook, and `attachd serve`.
final class PreviewServer: LocalServer, Sendable {
    let url: String
    let port: Int
    let origin: OriginServer
    private let attachd: ChildProgram
    private let webhook: ChildProgram
    private let folder: TemporaryFolder

    static let samples = SharedMedia.packageRoot.appending(path: "Samples")

    /// Starts a preview. `files` are at the origin beside the sample media.
    init(_ arguments: [String] = [], files: [String: [UInt8]] = [:]) async throws {
        folder = try TemporaryFolder()
        let key = try folder.write(String(repeating: "k", count: 40), to: "key")
        let media = Self.samples.appending(path: "media")
        origin = try OriginServer { request in
            let name = String(request.path.dropFirst())
            if let file = files[name] { return .body(file) }
            guard !name.contains("/"), let data = try? Data(contentsOf: media.appending(path: name)) else {
                return .status(404)
            }
            return .body([UInt8](data))
        }
        webhook = try ChildProgram(
            ["/usr/bin/python3", Self.samples.appending(path: "preview/webhook.py").path, "0", key],
            in: folder.url,
            errors: folder.url.appending(path: "webhook-errors").path,
        )
        let line = try webhook.readLine(beginning: "listening on ")
        let hookPort = line.flatMap { Int($0.dropFirst("listening on ".count)) } ?? 0
        let log = folder.url.appending(path: "log")
        attachd = try ChildProgram(
            [
                BuiltProgram.path("attachd"), "serve", "--file-urls", "--config",
                Self.samples.appending(path: "preview/attachd.yaml").path, "--listen", "127.0.0.1:0", "--store",
                folder.url.appending(path: "store").path, "--response-webhook",
                "http://127.0.0.1:\(hookPort)/responses", "--signing-key-file", key, "--log-format", "json",
            ] + arguments,
            in: folder.url,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path],
            errors: log.path,
        )
        port = try await WatchedFile(log).wait(for: "the port") { text in
            let port = text.firstMatch(of: /"port":"([0-9]+)"/).flatMap { Int($0.1) }
            guard port != nil || !text.contains("Error") else { throw HTTPClient.Failure(message: text) }
            return port
        }
        url = "http://127.0.0.1:\(port)/preview"
    }

    /// Runs `body` with a browser beside a server, and ends both.
    static func run(
        _ arguments: [String] = [],
        files: [String: [UInt8]] = [:],
        _ body: (PreviewServer, Browser) async throws -> Void,
    ) async throws {
        let server = try await PreviewServer(arguments, files: files)
        defer { server.stop() }
        try await Browser.run { browser in try await body(server, browser) }
    }

    /// Returns the next response that the webhook received.
    func nextResponse() throws -> JSONValue {
        try JSONValue(parsing: Array((try webhook.readLine(beginning: "{") ?? "").utf8))
    }

    /// Returns a sample's payload, with its media at this server's origin.
    func sample(_ name: String) throws -> String {
        try String(contentsOf: Self.samples.appending(path: "payloads/\(name).json"), encoding: .utf8)
            .replacing("http://127.0.0.1:8099", with: "http://127.0.0.1:\(origin.port)")
    }

    private func stop() {
        attachd.terminate()
        attachd.wait()
        webhook.kill()
        origin.stop()
    }
}

extension Browser {
    /// Enters a payload, and shows it.
    func show(_ payload: String) async throws {
        try await run(
            """
            const field = document.getElementById("payload");
            field.value = arguments[0];
            field.dispatchEvent(new Event("input"));
            document.getElementById("status").textContent = "";
            """,
            payload,
        )
        try await click("#show")
        try await waitUntilShown()
    }

    func waitUntilShown() async throws {
        try await wait(
            until: """
                const status = document.getElementById("status");
                if (status.classList.contains("bad")) throw new Error(status.textContent);
                return status.textContent === "Shown.";
                """
        )
    }

    func text(_ selector: String) async throws -> String {
        try await value(of: "return document.querySelector(arguments[0]).textContent", selector)
    }

    /// Returns the text of an element in the layout's own page.
    func layoutText(_ selector: String) async throws -> String {
        let script = """
            return document.querySelector("iframe").contentDocument?.querySelector(arguments[0])?.textContent ?? ""
            """
        return try await value(of: script, selector)
    }
}
