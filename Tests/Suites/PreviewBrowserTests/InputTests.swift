import Foundation
import Payloads
import Support
import Testing

@Suite("The preview's input in a browser", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct InputTests {
    @Test("Ctrl and Enter in any field show the payload", arguments: ["#payload", "#deadline"])
    func shortcut(field: String) async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.run("document.getElementById('payload').value = arguments[0]", server.sample("photo"))
            try await browser.type("\u{E009}\u{E007}", into: field)
            try await browser.waitUntilShown()
            #expect(try await browser.text(".outcome") == "complete")
        }
    }

    @Test("an unknown job is reported beside its field, and the payload is kept", arguments: ["\t", "\u{E007}"])
    func unknownJob(key: String) async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.type("{}", into: "#payload")
            try await browser.type("order/1\(key)", into: "#job")
            try await browser.wait(until: "return document.getElementById('job').ariaInvalid === 'true'")
            #expect(try await browser.text("#job-problem").hasPrefix("There is no job order/1 to show."))
            #expect(try await browser.value(of: "return document.getElementById('payload').value") == "{}")
            #expect(try await browser.value(of: "return document.querySelector('article') === null"))
            // A sample is not a job.
            try await browser.run(
                """
                const sample = document.getElementById("sample");
                sample.value = "photo";
                sample.dispatchEvent(new Event("change"));
                """
            )
            #expect(try await browser.text("#job-problem") == "")
        }
    }

    @Test("Enter in the field of a job shows the job")
    func job() async throws {
        try await PreviewServer.run { server, browser in
            let payload = try JSONValue(parsing: Array(server.sample("photo").utf8))
            let job: JSONValue = ["id": "order/4711", "payload": payload]
            _ = try await server.send("POST", "/v1/jobs", body: job.compactBytes)
            _ = try await server.send("/v1/jobs/order%2F4711?wait=20s")
            try await browser.open(server.url)
            try await browser.type("order/4711\u{E007}", into: "#job")
            try await browser.waitUntilShown()
            #expect(try await browser.text(".outcome") == "complete")
        }
    }

    @Test("right-to-left text begins at the right, beside left-to-right text that begins at the left")
    func rightToLeft() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            let payload: JSONValue = [
                "aps": [
                    "alert": ["title": "مرحبا بالعالم", "subtitle": "Launch week", "body": "הרקטה על כן השיגור!"],
                    "thread-id": "השיגור", "category": "message",
                ]
            ]
            try await browser.show(payload.compactText)
            for place in ["banner", "lock", "centre", "expanded"] {
                let directions: [String] = try await browser.value(
                    of: """
                        return [...document.querySelectorAll(`[data-place=${arguments[0]}] [data-field]`)].map(field => {
                          const range = document.createRange();
                          range.selectNodeContents(field);
                          const [text, box] = [range, field].map(part => part.getBoundingClientRect());
                          const atRight = Math.abs(text.right - box.right) < 1;
                          return `${getComputedStyle(field).direction} ${atRight ? "right" : "left"}`;
                        })
                        """,
                    place
                )
                #expect(directions == ["rtl right", "ltr left", "rtl right"], "\(place)")
            }
        }
    }

    /// A red disc of 96 pixels on a transparent ground.
    private static let disc = """
        iVBORw0KGgoAAAANSUhEUgAAAGAAAABgCAYAAADimHc4AAABDUlEQVR42u3cSQ0DQRAEwYFjEOYPxTTsr/8rTfURJTWBjOce55iZmZmZmZn97/N\
        +fZ+eipeDAykYHUax8KshKoVfBVE5/HiITvHHIXSMPwKhc/j2EJPit0OYGL8NwuT45RE2xC+LsCl+OYSN8UshABB/J4L4QQTRwwiCBwHEDiMIHQ\
        QQOYwgcBBA3DCCsAD2AogaRhAUAAAXAhAzjCAkAAAOAAAHAIADAMABAOAAAHAAADgAHso4jyQBOABeznJeTQTgvKLuAw0APlPykR4ACD7UBgDBD\
        zvEh+CHTQAg+HGf+BD8vFV8CDviT0Q4nSc8hN3xOyKcyRMexO7wlSCO3cdQ+TKIimZmZmZmVmk/W23CErr2rW8AAAAASUVORK5CYII=
        """

    @Test("squares show through a transparent picture, and are nowhere beside it")
    func transparent() async throws {
        let disc = [UInt8](try #require(Data(base64Encoded: Self.disc)))
        try await PreviewServer.run(files: ["disc.png": disc]) { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("photo").replacing("photo.jpg", with: "disc.png"))
            try await browser.wait(until: "return document.querySelector('img.media').complete")
            let backgrounds: [String] = try await browser.value(
                of: """
                    return ["img.media", "canvas.thumbnail"].map(selector =>
                      getComputedStyle(document.querySelector(selector)).backgroundImage)
                    """
            )
            #expect(backgrounds.allSatisfy { $0.contains("conic-gradient") })
            try await browser.wait(
                until: """
                    const image = document.querySelector("img.media");
                    const ratio = image.clientWidth / image.clientHeight;
                    return Math.abs(ratio - image.naturalWidth / image.naturalHeight) < 0.02
                    """
            )
            let alpha: Int = try await browser.value(
                of: """
                    const canvas = document.createElement("canvas");
                    const context = canvas.getContext("2d");
                    context.drawImage(document.querySelector("img.media"), 0, 0);
                    return context.getImageData(0, 0, 1, 1).data[3]
                    """
            )
            #expect(alpha == 0)
        }
    }

    @Test("a result from the cache says that it was made before")
    func reused() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("photo"))
            #expect(try await !browser.text(".timings figcaption").contains("used again"))
            try await browser.show(server.sample("photo"))
            #expect(try await browser.text(".timings figcaption").contains("Made before, used again"))
            #expect(try await browser.text(".attachments").contains("not downloaded again"))
            #expect(server.origin.requests.count == 1)
        }
    }
}
