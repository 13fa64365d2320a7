import Foundation
import Payloads
import Support
import Testing

/// The script of axe-core (https://github.com/dequelabs/axe-core), which Scripts/requirements.txt installs.
private enum Axe {
    static let script: String? = {
        let lib = SharedMedia.packageRoot.appending(path: ".build/python/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: lib.path)) ?? []
        return versions.lazy.compactMap { version in
            let path = "\(version)/site-packages/axe_playwright_python/axe.min.js"
            return try? String(contentsOf: lib.appending(path: path), encoding: .utf8)
        }.first
    }()
}

@Suite("Accessibility", .needsBrowser, .serialized, .timeLimit(.minutes(5)))
struct AccessibilityTests {
    private struct Violation: Decodable {
        var id: String
        var impact: String?
        var targets: String
    }

    private func findings(_ browser: Browser) async throws -> [String] {
        let violations: [Violation] = try await browser.value(
            // The page's own policy forbids evaluation; a driver's script may evaluate.
            of: """
                \(Axe.script ?? "");
                const found = await axe.run(document, { resultTypes: ["violations"] });
                return found.violations.map(({ id, impact, nodes }) =>
                  ({ id, impact, targets: nodes.map(node => node.target.join(" ") + " " + node.failureSummary).join("; ") }));
                """
        )
        return violations.filter { ["serious", "critical"].contains($0.impact) }.map { "\($0.id): \($0.targets)" }
    }

    @Test(
        "axe has no serious findings",
        .enabled(if: Axe.script != nil, "axe is not in .build/python: Scripts/test puts it there"),
        arguments: ["event-invite", "message", "video", "sound", "onesignal", "animation"]
    )
    func axe(name: String) async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            #expect(try await findings(browser) == [])
            try await browser.show(server.sample(name))
            if name == "event-invite" || name == "message" { try await browser.click("[data-asks]") }
            #expect(try await findings(browser) == [], "\(name)")
            for selector in ["theme", "direction", "width"] { try await browser.click("[data-switch=\(selector)]") }
            #expect(try await findings(browser) == [], "\(name), dark")
        }
    }

    @Test("the keyboard alone is enough to show a payload, reply and dismiss it")
    func keyboard() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.run("document.getElementById('payload').focus()")
            try await browser.run(
                "document.getElementById('payload').value = arguments[0]",
                try server.sample("message")
            )
            try await browser.type("\u{E007}", into: "#show")
            try await browser.waitUntilShown()
            try await browser.type("\u{E00D}", into: "[data-action=reply]")
            // The field has the focus as soon as it appears.
            let hasFocus: Bool = try await browser.value(of: "return document.activeElement.matches('.reply input')")
            #expect(hasFocus)
            try await browser.type("Yes\u{E007}", into: ".reply input")
            #expect(try server.nextResponse()["userText"] == "Yes")
            try await browser.wait(until: "return !document.querySelector('[data-view]').inert")
            try await browser.type("\u{E007}", into: ".close")
            try await browser.wait(until: "return document.activeElement.matches('[data-again]')")
        }
    }
}
