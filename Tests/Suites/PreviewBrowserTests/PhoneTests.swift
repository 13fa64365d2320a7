import Support
import Testing

@Suite("The preview on a phone", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct PhoneTests {
    @Test("the result comes before the payload, and nothing is wider than the screen")
    func narrow() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.resize(width: 390, height: 844)
            try await browser.open(server.url)
            #expect(try await browser.overflows() == [])
            for name in ["event-invite", "photo", "onesignal", "video", "sound"] {
                try await browser.show(server.sample(name))
                #expect(try await browser.overflows() == [], "\(name)")
                let tops: [Double] = try await browser.value(
                    of: """
                        return ["result", "composer"].map(id => document.getElementById(id).getBoundingClientRect().top)
                        """
                )
                #expect(tops[0] < tops[1])
                // The page has gone to the result.
                #expect(abs(tops[0]) < 844)
            }
            let labels: [String] = try await browser.value(
                of: """
                    return [...document.querySelectorAll(".attachments td")].map(cell =>
                      getComputedStyle(cell, "::before").content)
                    """
            )
            #expect(labels.prefix(5) == ["\"Delivered\"", "\"Size\"", "\"Rung\"", "\"Profile\"", "\"Source\""])
        }
    }

    @Test("the subtitle has the lines of its card that the title and the body leave", arguments: [390, 1280])
    func subtitle(width: Int) async throws {
        try await PreviewServer.run { server, browser in
            try await browser.resize(width: width, height: 844)
            try await browser.open(server.url)
            let words = [String](repeating: "Saturday", count: 40).joined(separator: " ")
            for (title, body, expected) in [("Short", "Short", 4), ("Short", "", 5), (words, words, 2)] {
                try await browser.show(
                    #"{"aps":{"alert":{"title":"\#(title)","subtitle":"\#(words)","body":"\#(body)"}}}"#
                )
                try await browser.wait(
                    until: """
                        const subtitles = [...document.querySelectorAll(":is(.phone > .card, .stack) .subtitle")];
                        return subtitles.length === 3 && subtitles.every(text =>
                          Math.round(text.clientHeight / parseFloat(getComputedStyle(text).lineHeight)) === arguments[0]);
                        """,
                    expected,
                )
            }
        }
    }

    @Test("a link leads from the result to the payload, and keeps the page's state")
    func toPayload() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.resize(width: 390, height: 844)
            try await browser.open(server.url)
            try await browser.show(server.sample("photo"))
            try await browser.wait(until: "return location.hash.startsWith('#preview=')")
            try await browser.click("#to-payload")
            #expect(try await browser.value(of: "return document.activeElement.id") == "composer")
            #expect(try await browser.value(of: "return location.hash.startsWith('#preview=')"))
        }
    }

    @Test("on a desk, the payload stays beside the result")
    func wide() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.resize(width: 1280, height: 800)
            try await browser.open(server.url)
            try await browser.show(server.sample("event-invite"))
            #expect(try await browser.overflows() == [])
            let isBeside: Bool = try await browser.value(
                of: """
                    const [form, main] = ["composer", "result"].map(id => document.getElementById(id).getBoundingClientRect());
                    return form.right < main.left
                    """
            )
            #expect(isBeside)
        }
    }
}
