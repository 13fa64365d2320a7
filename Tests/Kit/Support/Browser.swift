import Foundation
package import Testing

/// Headless Chromium, controlled over WebDriver (https://www.w3.org/TR/webdriver2/) by Debian's chromedriver.
///
/// It records the page's log, with policy violations: `errors`.
package final class Browser: Sendable {
    /// An error that WebDriver answered with.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    package static let driver = "/usr/bin/chromedriver"
    package static let program = "/usr/bin/chromium"
    package static var isThere: Bool {
        [driver, program].allSatisfy(FileManager.default.isExecutableFile)
    }

    private let process: ChildProgram
    private let port: Int
    private let session: String
    private let folder: TemporaryFolder

    package init() async throws {
        folder = try TemporaryFolder()
        (process, port) = try Self.start(in: folder)
        struct Session: Decodable { var sessionId: String }
        let options: [String: any Sendable] = [
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"],
            "binary": Self.program,
        ]
        let capabilities: [String: any Sendable] = [
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
        ]
        do {
            let body = ["capabilities": ["alwaysMatch": capabilities]]
            let started: Session = try await Self.ask("POST", "/session", body, port: port)
            session = "/session/\(started.sessionId)"
        } catch {
            process.kill()
            throw error
        }
    }

    /// Starts chromedriver on a free port, which is one of IPv4. It ends at once if another program has that port of IPv6.
    private static func start(in folder: TemporaryFolder) throws -> (ChildProgram, port: Int) {
        for _ in 0..<10 {
            let process = try ChildProgram(
                [driver, "--port=0"],
                in: folder.url,
                // The browser's own temporary folder stays /tmp: a socket path in it must be short.
                environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path],
            )
            let line = try process.readLine { $0.contains("started successfully on port") }
            if let port = line?.firstMatch(of: /port ([0-9]+)/).flatMap({ Int($0.1) }) { return (process, port) }
            process.kill()
        }
        throw Failure(description: "chromedriver did not start ten times")
    }

    /// Ends the browser. Every browser must be ended this way.
    package func quit() async {
        let _: String? = try? await Self.ask("DELETE", session, nil, port: port)
        process.kill()
    }

    /// Runs `body` with a new browser.
    package static func run<Value>(_ body: (Browser) async throws -> Value) async throws -> Value {
        let browser = try await Browser()
        do {
            let value = try await body(browser)
            await browser.quit()
            return value
        } catch {
            await browser.quit()
            throw error
        }
    }

    package func open(_ url: String) async throws { try await command("/url", ["url": url]) }

    /// Returns the result of a function's body in the page, and waits for it if it is a promise.
    package func value<Value: Decodable>(
        of script: String,
        _ arguments: any Sendable...,
        as type: Value.Type = Value.self,
    ) async throws -> Value {
        try await Self.ask("POST", "\(session)/execute/sync", ["script": script, "args": arguments], port: port)
    }

    /// Runs a function's body in the page.
    package func run(_ script: String, _ arguments: any Sendable...) async throws {
        try await command("/execute/sync", ["script": script, "args": arguments])
    }

    /// Waits until a function's body returns true.
    package func wait(until script: String, _ arguments: any Sendable...) async throws {
        try await eventually {
            try await Self.ask(
                "POST",
                "\(session)/execute/sync",
                ["script": "return Boolean((() => {\(script)}).apply(null, arguments))", "args": arguments],
                port: port
            )
        }
    }

    /// Sets the size of the page in CSS pixels, such as that of a phone.
    package func resize(width: Int, height: Int) async throws {
        let parameters: [String: any Sendable] = [
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        ]
        try await command(
            "/goog/cdp/execute",
            ["cmd": "Emulation.setDeviceMetricsOverride", "params": parameters]
        )
    }

    /// Makes the page light or dark, as the reader's system would.
    package func setDark(_ isDark: Bool) async throws {
        let scheme = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        let parameters: [String: any Sendable] = ["features": [scheme]]
        try await command("/goog/cdp/execute", ["cmd": "Emulation.setEmulatedMedia", "params": parameters])
    }

    /// Clicks like a person: the element must be visible.
    package func click(_ selector: String) async throws {
        try await command("/element/\(try await element(selector))/click", [:])
    }

    /// Types into a field.
    package func type(_ text: String, into selector: String) async throws {
        try await command("/element/\(try await element(selector))/value", ["text": text])
    }

    /// Returns one element as PNG bytes.
    package func picture(of selector: String) async throws -> [UInt8] {
        let path = "\(session)/element/\(try await element(selector))/screenshot"
        let text: String = try await Self.ask("GET", path, nil, port: port)
        return [UInt8](Data(base64Encoded: text) ?? Data())
    }

    /// Returns the errors in the page's log since the last call: failed loads, policy violations, scripts that threw.
    package func errors() async throws -> [String] {
        struct Entry: Decodable {
            var level: String
            var message: String
        }
        let entries: [Entry] = try await Self.ask("POST", "\(session)/se/log", ["type": "browser"], port: port)
        // Chromium's own player logs this on a slow machine: the page makes no VideoFrame.
        let own = "A VideoFrame was garbage collected without being closed"
        return entries.filter { $0.level == "SEVERE" && !$0.message.contains(own) }.map(\.message)
    }

    private func element(_ selector: String) async throws -> String {
        let found: [String: String] = try await Self.ask(
            "POST",
            "\(session)/element",
            ["using": "css selector", "value": selector],
            port: port
        )
        return found.values.first ?? ""
    }

    private func command(_ path: String, _ body: [String: any Sendable]) async throws {
        struct Ignored: Decodable {
            init(from decoder: any Decoder) {}
        }
        let _: Ignored? = try await Self.ask("POST", session + path, body, port: port)
    }

    private static func ask<Value: Decodable>(
        _ method: String,
        _ path: String,
        _ body: [String: any Sendable]?,
        port: Int,
    ) async throws -> Value {
        let bytes = try body.map { [UInt8](try JSONSerialization.data(withJSONObject: $0)) } ?? []
        let answer = try await HTTPClient.send(
            method,
            path: path,
            port: port,
            headers: ["Content-Type": "application/json"],
            body: bytes,
            endsByLength: true,
        )
        guard answer.status == 200 else {
            let problem = try? JSONDecoder().decode(Reply<Problem>.self, from: Data(answer.body))
            throw Failure(description: problem?.value.message ?? answer.text)
        }
        return try JSONDecoder().decode(Reply<Value>.self, from: Data(answer.body)).value
    }
}

/// An answer of WebDriver, which always wraps its value.
private struct Reply<Value: Decodable>: Decodable { var value: Value }

private struct Problem: Decodable { var message: String }

extension Trait where Self == ConditionTrait {
    /// A trait that runs a test only where Chromium and its driver are installed.
    package static var needsBrowser: Self {
        .enabled(if: Browser.isThere, "Debian's chromium and chromium-driver are not installed")
    }
}
