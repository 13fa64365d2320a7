import Foundation
import Payloads
import Support
import Testing

@Suite("Actions in a browser, with the sample webhook", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct ActionsTests {
    /// Runs `body` with the invitation on the page.
    private func invitation(_ body: (PreviewServer, Browser) async throws -> Void) async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("event-invite"))
            try await browser.wait(until: "return 'settled' in document.querySelector('iframe').dataset")
            try await body(server, browser)
            let errors = try await browser.errors()
            #expect(errors.isEmpty, "\(errors)")
        }
    }

    private func isGone(_ browser: Browser) async throws {
        try await browser.wait(until: "return document.querySelector('[data-gone]').checkVisibility()")
        let isSeen: Bool = try await browser.value(of: "return document.querySelector('[data-view]').checkVisibility()")
        #expect(!isSeen)
    }

    @Test("the invitation shows its title, date, text and location")
    func layout() async throws {
        try await invitation { _, browser in
            #expect(try await browser.layoutText("h1") == "Watch the launch with us")
            #expect(try await browser.layoutText(".date") == "Saturday, 28 November, 19:30")
            #expect(try await browser.layoutText(".location") == "Playalinda Beach, Florida")
            #expect(try await browser.layoutText(".body").hasPrefix("We meet an hour before"))
            #expect(try await browser.layoutText(".reply") == "")
            // The title and content are its own, and the height fits the content.
            #expect(try await browser.text("[data-app-name]") == "Invitation")
            try await browser.wait(
                until: "return document.querySelector('iframe').contentDocument.images[0].naturalWidth > 0"
            )
            try await browser.wait(
                until: """
                    const frame = document.querySelector("iframe");
                    return Math.abs(frame.offsetHeight - frame.contentDocument.documentElement.offsetHeight) < 2
                    """
            )
            let words: Int = try await browser.value(of: "return document.querySelectorAll('.expanded .words').length")
            #expect(words == 0)
        }
    }

    @Test("accepting turns the reply to \"Going!\", then the notification is dismissed")
    func accept() async throws {
        try await invitation { server, browser in
            try await browser.click("[data-action=accept]")
            try await browser.wait(
                until:
                    "return document.querySelector('iframe').contentDocument?.querySelector('.reply')?.textContent === 'Going!'"
            )
            try await isGone(browser)
            let response = try server.nextResponse()
            #expect(response["actionIdentifier"] == "accept")
            #expect(response["notification"]?["content"]?["userInfo"]?["location"] == "Playalinda Beach, Florida")
        }
    }

    @Test("declining turns the reply to \"Not Going.\" in red, then the notification is dismissed")
    func decline() async throws {
        try await invitation { server, browser in
            try await browser.click("[data-action=decline]")
            try await browser.wait(
                until:
                    "return document.querySelector('iframe').contentDocument?.querySelector('.reply')?.textContent === 'Not Going.'"
            )
            let color: String = try await browser.value(
                of:
                    "const page = document.querySelector('iframe').contentDocument; return getComputedStyle(page.querySelector('.reply')).color"
            )
            #expect(color == "rgb(181, 18, 27)")
            try await isGone(browser)
            #expect(try server.nextResponse()["actionIdentifier"] == "decline")
        }
    }

    @Test("a comment reaches the webhook before the notification is dismissed")
    func comment() async throws {
        try await invitation { server, browser in
            try await browser.click("[data-action=comment]")
            let field: [String] = try await browser.value(
                of:
                    "const form = document.querySelector('.reply'); return [form.querySelector('input').placeholder, form.querySelector('button').textContent]"
            )
            #expect(field == ["Enter comment here...", "Send"])
            try await browser.type("Save me a seat, \"please\" 🙏🏽 <b>", into: ".reply input")
            try await browser.click(".reply button")
            let response = try server.nextResponse()
            #expect(response["userText"] == "Save me a seat, \"please\" 🙏🏽 <b>")
            try await isGone(browser)
        }
    }

    @Test("a dismissal is reported if the category asks for it")
    func dismiss() async throws {
        try await invitation { server, browser in
            try await browser.click(".close")
            #expect(try server.nextResponse()["actionIdentifier"] == "com.apple.UNNotificationDismissActionIdentifier")
            try await isGone(browser)
        }
    }

    @Test("an answer may replace the content and keep it, and the exchange is shown as curl commands")
    func reply() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("message"))
            try await browser.click("[data-action=reply]")
            try await browser.type("It's beautiful!", into: ".reply input")
            try await browser.click(".reply button")
            try await browser.wait(
                until: """
                    const bodies = [...document.querySelectorAll("[data-field=body]")];
                    return bodies.length === 4 && bodies.every(body => body.textContent.endsWith("You: It's beautiful!"))
                    """
            )
            let isSeen: Bool = try await browser.value(
                of: "return document.querySelector('[data-view]').checkVisibility()"
            )
            #expect(isSeen)
            #expect(try server.nextResponse()["userText"] == "It's beautiful!")

            // The command has the same effect in a shell.
            #expect(try await browser.text("#exchange li:first-child p").contains("reply → doNotDismiss"))
            let command = try await browser.text("#exchange li:first-child pre")
            let folder = try TemporaryFolder()
            let shell = try ChildProgram(["/bin/bash", "-c", command], in: folder.url)
            let output = String(decoding: try shell.readToEnd(), as: UTF8.self)
            #expect(shell.wait() == 0 && output.contains("doNotDismiss"), "\(command) → \(output)")
            #expect(try server.nextResponse()["userText"] == "It's beautiful!")
        }
    }

    @Test("an action may be forwarded to the app, and so may the default action")
    func forward() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            for action in ["open", "com.apple.UNNotificationDefaultActionIdentifier"] {
                try await browser.show(server.sample("message"))
                try await browser.click("[data-action='\(action)']")
                try await isGone(browser)
                let text = try await browser.text("[data-gone-text]")
                #expect(text.contains("forwarded") && text.contains(action))
                #expect(try server.nextResponse()["actionIdentifier"]?.text == action)
            }
        }
    }
}
