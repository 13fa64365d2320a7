import Foundation
import Payloads
import Support
import Testing

@Suite("Accessibility", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct AccessibilityTests {
    @Test(
        "axe has no findings on a desk and on a phone",
        .enabled(if: Axe.script != nil, "axe is not in .build/python: Scripts/test puts it there"),
        arguments: ["event-invite", "message", "video", "sound", "onesignal", "animation"]
    )
    func axe(name: String) async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            #expect(try await browser.axeFindings() == [])
            try await browser.show(server.sample(name))
            if name == "event-invite" || name == "message" { try await browser.click("[data-asks]") }
            #expect(try await browser.axeFindings() == [], "\(name)")
            for selector in ["theme", "direction", "width"] { try await browser.click("[data-switch=\(selector)]") }
            #expect(try await browser.axeFindings() == [], "\(name), dark")
            try await browser.resize(width: 390, height: 844)
            #expect(try await browser.axeFindings() == [], "\(name), on a phone")
        }
    }

    @Test("axe has no findings on the form for the token", .enabled(if: Axe.script != nil))
    func login() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("0123456789abcdef\n", to: "token")
        try await PreviewServer.run(["--api-token-file", file]) { server, browser in
            try await browser.open(server.url)
            try await browser.type("wrong-wrong-wrong\u{E007}", into: "input[name=token]")
            try await browser.wait(until: "return document.querySelector('[role=alert]') !== null")
            #expect(try await browser.axeFindings() == [])
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
