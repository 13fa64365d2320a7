import Foundation
import Payloads
import Preview
import Support
import Testing

@Suite("The samples in a browser", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct SamplesTests {
    /// The samples that the page offers. A local content is not a push payload.
    private static let names: [String] = {
        let folder = PreviewServer.samples.appending(path: "payloads").path
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }
            .filter { $0 != "local" }.sorted()
    }()

    @Test("each is shown in all four views, before and after, light and dark, in both directions, wide and narrow")
    func places() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            let offered: [String] = try await browser.value(
                of: "return [...document.getElementById('sample').options].map(option => option.value).filter(Boolean)"
            )
            #expect(offered.sorted() == Self.names && offered.count >= 12)
            for name in Self.names {
                try await shown(name, server, browser)
            }
        }
    }

    @Test(
        "a message is shown on each platform that it is for, with the platform's own texts and picture",
        arguments: [
            ("fcm-message", ["banner", "lock", "centre", "expanded", "android", "web"]),
            ("gorush", ["banner", "lock", "centre", "expanded", "android"]),
            ("onesignal", ["banner", "lock", "centre", "expanded"]),
        ]
    )
    func platforms(name: String, places: [String]) async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample(name))
            let seen: [String] = try await browser.value(
                of: "return [...document.querySelectorAll('[data-place]')].map(place => place.dataset.place)"
            )
            #expect(seen == places)
            try await media(name, browser)
            for place in places.dropFirst(4) {
                let isShown: Bool = try await browser.value(
                    of: "return document.querySelector(arguments[0]).checkVisibility()",
                    "[data-place=\(place)] img"
                )
                #expect(isShown)
                #expect(try await browser.text("[data-place=\(place)] [data-field=body]").contains("rocket"))
            }
            #expect(try await browser.errors() == [])
        }
    }

    @Test("a message for Android and the web only shows no iPhone")
    func noIPhone() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            let url = server.origin.url("/photo.jpg")
            try await browser.show(
                """
                {"message": {"topic": "t", "android": {"notification": {"title": "A", "body": "B", "image": "\(url)"}},
                "webpush": {"notification": {"title": "W", "body": "B", "image": "\(url)"}}}}
                """
            )
            let titles: [String] = try await browser.value(
                of: "return [...document.querySelectorAll('[data-place] .title')].map(title => title.textContent)"
            )
            #expect(titles == ["A", "W"])
            #expect(try await browser.overflows() == [])
            #expect(try await browser.errors() == [])
        }
    }

    private func shown(_ name: String, _ server: PreviewServer, _ browser: Browser) async throws {
        let payload = try server.sample(name)
        let content = ShownContent(try JSONValue(parsing: Array(payload.utf8)))
        try await browser.show(payload)
        #expect(try await browser.text(".outcome") == "complete", "\(name)")
        for place in ["banner", "lock", "centre", "expanded"] {
            let selector = "[data-place=\(place)]"
            guard place != "banner" || content.interruptionLevel != .passive else {
                #expect(try await browser.text(selector).contains("Passive"))
                continue
            }
            let hasLayout: Bool = try await browser.value(of: "return document.querySelector('iframe') !== null")
            guard place != "expanded" || !hasLayout else {
                try await browser.wait(until: "return 'settled' in document.querySelector('iframe').dataset")
                #expect(try await browser.layoutText("h1") == content.title?.text)
                continue
            }
            for (field, text) in [("title", content.title), ("subtitle", content.subtitle), ("body", content.body)] {
                let isSeen: Bool = try await browser.value(
                    of: "return document.querySelector(arguments[0]).checkVisibility()",
                    "\(selector) [data-field=\(field)]"
                )
                let seen = try await browser.text("\(selector) [data-field=\(field)]")
                #expect(isSeen == (text != nil) && seen == text?.text ?? "", "\(name), \(place), \(field)")
            }
        }
        try await media(name, browser)
        try await switches(name, browser)
        let errors = try await browser.errors()
        #expect(errors.isEmpty, "\(name): \(errors)")
    }

    /// Expects that every player has its file, and that every thumbnail is drawn.
    private func media(_ name: String, _ browser: Browser) async throws {
        try await browser.wait(
            until: """
                return [...document.querySelectorAll("[data-media]")].every(media =>
                  media.tagName === "IMG" ? media.complete && media.naturalWidth > 0 : media.readyState >= 2)
                """
        )
        let undrawn: Int = try await browser.value(
            of: "return document.querySelectorAll('canvas:not([data-drawn])').length"
        )
        #expect(undrawn == 0, "\(name)")
    }

    private func switches(_ name: String, _ browser: Browser) async throws {
        for selector in ["theme", "direction", "width", "state"] {
            try await browser.click("[data-switch=\(selector)]")
        }
        struct State: Decodable, Equatable {
            var theme: String
            var width: String
            var direction: String
            var phones: Bool
            var media: Bool
        }
        let script = """
            const places = document.querySelector(".places");
            const seen = selector => [...document.querySelectorAll(selector)].some(element => element.checkVisibility());
            return {
              theme: places.dataset.theme, width: places.dataset.width,
              direction: getComputedStyle(places.querySelector(".card")).direction,
              phones: [...document.querySelectorAll(".phone")].every(phone => phone.offsetWidth <= 260),
              media: seen("[data-media], canvas, iframe"),
            }
            """
        let changed: State = try await browser.value(of: script)
        #expect(
            changed == State(theme: "dark", width: "narrow", direction: "rtl", phones: true, media: false),
            "\(name)"
        )
        for selector in ["theme", "direction", "width", "state"] {
            try await browser.click("[data-switch=\(selector)]")
        }
    }
}
