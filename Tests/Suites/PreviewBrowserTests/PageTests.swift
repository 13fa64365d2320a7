import Base
import Foundation
import Payloads
import Support
import Testing

@Suite("The preview's page in a browser", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct PageTests {
    /// Texts that would run a script, leave an element or an attribute, or hide the rest, if they were not escaped.
    private static let hostile = [
        "<script>window.ran = true</script>", "<img src=x onerror='window.ran = true'>",
        "\" autofocus onfocus=window.ran=true x=\"",
        "\"\u{301} onmouseover=window.ran=true \u{600}<svg onload=window.ran=true>",
        "</p></article><iframe srcdoc='<script>parent.ran=1</script>'>",
        "{{title}} {{{body}}} {{#attachments}}{{/attachments}} {{> card}}", "${window.ran = true} <%= 1 %> {% raw %}",
        "javascript:window.ran=true", "\u{202E}gnp.exe \u{2066}\u{2067}\u{200F}x", "👩‍🚀👨‍👩‍👧‍👦🇳🇴 ‮ﷺ 𝕏",
        "&lt;b&gt; &amp;#60; \u{0}\u{1B}",
        String(repeating: "W<b>", count: 1000), String(repeating: "\u{FDFD}", count: 1300), "]]><!--",
        "</script><style>*{display:none}</style>",
    ]

    @Test("hostile texts are shown as text, and no script runs")
    func hostile() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            for category in ["none", "event-invite"] {
                for text in Self.hostile { try await shown(text, category, server, browser) }
            }
        }
    }

    private func shown(_ text: String, _ category: String, _ server: PreviewServer, _ browser: Browser) async throws {
        let value = JSONValue.string(text)
        let payload: JSONValue = [
            "aps": [
                "alert": ["title": value, "subtitle": value, "body": value], "thread-id": value, "sound": value,
                "category": .string(category), "mutable-content": 1,
            ],
            "my-attachment": .string(server.origin.url("/photo.jpg")), "location": value,
            "more": .object([.init(text, value)]),
        ]
        try await browser.show(payload.compactText)
        // NUL is not allowed in HTML.
        let expected = text.replacing("\u{0}", with: "\u{FFFD}")
        if category == "event-invite" {
            try await browser.wait(until: "return 'settled' in document.querySelector('iframe').dataset")
            #expect(try await browser.layoutText("h1") == expected)
            #expect(try await browser.layoutText(".location") == expected)
        }
        let texts: [String] = try await browser.value(
            of: "return [...document.querySelectorAll('[data-field]')].map(field => field.textContent)"
        )
        #expect(texts.count == (category == "none" ? 12 : 9))
        #expect(texts.allSatisfy { $0.unicodeScalars.elementsEqual(expected.unicodeScalars) }, "\(text)")
        let harm: [Bool] = try await browser.value(
            of: """
                await new Promise(resolve => setTimeout(resolve, 30));
                const page = document.querySelector("iframe")?.contentDocument;
                const elements = root => root.querySelectorAll("script, svg[onload], [onerror], [onfocus], [srcdoc]").length;
                return [
                  "ran" in window, Boolean(page && "ran" in page.defaultView), document.querySelectorAll("article").length !== 1,
                  elements(document.querySelector("article")) > 0, Boolean(page) && elements(page) > 0,
                  document.documentElement.scrollWidth > innerWidth,
                ]
                """
        )
        #expect(harm == [false, false, false, false, false, false], "\(text)")
        let errors = try await browser.errors()
        #expect(errors.isEmpty, "\(text): \(errors)")
    }

    @Test("a link contains the whole state, and asks before it fetches anything")
    func link() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.run(
                "document.getElementById('deadline').value = '9s'; document.getElementById('profile').value = 'webpush'"
            )
            let payload = try server.sample("photo")
            try await browser.show(payload)
            try await browser.click("[data-switch=theme]")
            try await browser.click("#copy-link")
            try await browser.wait(until: "return /link is/.test(document.getElementById('status').textContent)")
            let link: String = try await browser.value(of: "return location.href")
            #expect(link.contains("#preview=") && link.utf8.count < 1200)
            let fetches = server.origin.requests.count

            try await browser.open("about:blank")
            try await browser.open(link)
            try await browser.wait(until: "return document.getElementById('payload').value !== ''")
            let state: [String] = try await browser.value(
                of: "return ['payload', 'deadline', 'profile'].map(id => document.getElementById(id).value)"
            )
            #expect(state == [payload, "9s", "webpush"])
            #expect(server.origin.requests.count == fetches)
            try await browser.click("#show")
            try await browser.waitUntilShown()
            #expect(try await browser.text(".attachments tbody td:nth-child(5)") == "webpush")
            let theme: String = try await browser.value(of: "return document.querySelector('.places').dataset.theme")
            #expect(theme == "dark")
            // An invalid link does no harm.
            try await browser.open(server.url + "#preview=AAAA")
            #expect(try await browser.errors().isEmpty)
        }
    }

    @Test("original and rewritten payload are side by side, with their sizes and every digit")
    func sides() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("photo"))
            let sides: [String] = try await browser.value(
                of: "return [...document.querySelectorAll('.payloads pre')].map(side => side.textContent)"
            )
            #expect(sides.count == 2 && sides.allSatisfy { $0.contains("9007199254740993") && $0.contains("2448.50") })
            #expect(
                sides[0].contains(server.origin.url("/photo.jpg"))
                    && !sides[1].contains(server.origin.url("/photo.jpg"))
            )
            #expect(try await browser.text(".side-Original .size").hasSuffix("of 4,096 bytes"))
            #expect(try await browser.text(".side-Rewritten .changed").contains("my-attachment"))
            #expect(try await browser.text("#exchange li:first-child pre").contains("9007199254740993"))
        }
    }

    @Test("a failure is explained in words, and so is an invalid payload")
    func failures() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("photo").replacing("photo.jpg", with: "missing.jpg"))
            #expect(try await browser.text(".outcome") == "original")
            #expect(try await browser.text(".report .notice.bad").contains("404"))
            // The app's error is the same for many reasons, so it is no heading.
            #expect(try await browser.text(".report .notice.bad b") == "httpStatus")
            #expect(try await browser.text(".report .notice.bad small") == "On a phone: attachmentInvalidURL (100)")
            for (payload, words) in [("{", "not JSON"), (#"{"x":1}"#, "payload")] {
                try await browser.run(
                    "document.getElementById('payload').value = arguments[0]; document.getElementById('show').click()",
                    payload
                )
                try await browser.wait(
                    until:
                        "const status = document.getElementById('status'); return status.className === 'bad' && status.textContent.includes(arguments[0])",
                    words
                )
            }
        }
    }

    @Test("a recent job can be selected by its identifier")
    func job() async throws {
        try await PreviewServer.run { server, browser in
            let payload = try JSONValue(parsing: Array(server.sample("photo").utf8))
            let job: JSONValue = ["id": "order/4711", "payload": payload, "deadline": "15s"]
            let path = "/v1/jobs"
            _ = try await server.send("POST", path, body: job.compactBytes)
            _ = try await server.send("\(path)/order%2F4711?wait=20s")
            try await browser.open(server.url)
            try await browser.type("order/4711\t", into: "#job")
            try await browser.wait(until: "return document.getElementById('payload').value !== ''")
            let picked: [String] = try await browser.value(
                of: "return ['payload', 'deadline'].map(id => document.getElementById(id).value)"
            )
            #expect(try JSONValue(parsing: Array(picked[0].utf8)) == payload)
            #expect(picked[1] == "15s")
            let offered: [String] = try await browser.value(
                of: "return [...document.getElementById('jobs').options].map(option => option.value)"
            )
            #expect(offered == ["order/4711"])
        }
    }

    @Test("behind a token, a form asks for it first, and then everything works")
    func token() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("0123456789abcdef\n", to: "token")
        try await PreviewServer.run(["--api-token-file", file]) { server, browser in
            try await browser.open(server.url)
            try await browser.type("wrong-wrong-wrong", into: "input[name=token]")
            try await browser.click("button")
            try await browser.wait(until: "return document.querySelector('[role=alert]') !== null")
            try await browser.type("0123456789abcdef", into: "input[name=token]")
            try await browser.click("button")
            try await browser.wait(until: "return document.getElementById('composer') !== null")
            try await browser.show(server.sample("message"))
            try await browser.click("[data-action=delete]")
            try await browser.wait(until: "return document.querySelector('[data-gone]').checkVisibility()")
            #expect(try server.nextResponse()["actionIdentifier"] == "delete")
            #expect(try await browser.text("#exchange li:first-child pre").contains("Bearer $ATTACHD_TOKEN"))
        }
    }
}
