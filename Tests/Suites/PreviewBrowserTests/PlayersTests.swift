import Base
import Foundation
import Support
import Testing

@Suite("Attachments in a browser", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct PlayersTests {
    @Test("a video plays, and its thumbnail shows the time and the part that the options name")
    func video() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("video"))
            try await browser.wait(until: "return document.querySelector('video').readyState >= 3")
            try await browser.run(
                "const video = document.querySelector('video'); video.muted = true; return video.play()"
            )
            try await browser.wait(
                until: """
                    const video = document.querySelector("video");
                    return video.currentTime > 0.5 && video.getVideoPlaybackQuality().totalVideoFrames > 5
                    """
            )
            let cropped = try await pixels(browser)
            try await browser.show(server.sample("video").replacing("\"X\": 0.25", with: "\"X\": 0.0"))
            #expect(try await pixels(browser) != cropped)
            try await browser.show(server.sample("video").replacing("TimeKey\": 3", with: "TimeKey\": 5"))
            #expect(try await pixels(browser) != cropped)
            try await browser.show(server.sample("video"))
            #expect(try await pixels(browser) == cropped)
        }
    }

    @Test("an animation moves, and its thumbnail shows the frame that the options name")
    func animation() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            try await browser.show(server.sample("animation"))
            let first = try await browser.picture(of: "img[data-kind=animation]")
            var moves = false
            for _ in 0..<50 where !moves { moves = try await browser.picture(of: "img[data-kind=animation]") != first }
            #expect(moves)
            let eighth = try await pixels(browser)
            try await browser.show(server.sample("animation").replacing("TimeKey\": 8", with: "TimeKey\": 0"))
            #expect(try await pixels(browser) != eighth)
        }
    }

    @Test("a thumbnail that the options hide is missing, and sound has none")
    func hidden() async throws {
        try await PreviewServer.run { server, browser in
            try await browser.open(server.url)
            let hidden = try server.sample("video")
                .replacing("ThumbnailTimeKey\": 3", with: "ThumbnailHiddenKey\": true")
            for payload in [hidden, try server.sample("sound")] {
                try await browser.show(payload)
                let count: Int = try await browser.value(of: "return document.querySelectorAll('canvas').length")
                #expect(count == 0)
            }
            try await browser.wait(until: "return document.querySelector('audio').duration > 4")
        }
    }

    @Test("access to the files begins with the view, and ends when it is dismissed or closed")
    func access() async throws {
        try await PreviewServer.run { server, browser in
            func status(_ url: String) async throws -> Int {
                let path = try #require(URL(string: url)).path() + "?" + (try #require(URL(string: url)?.query()))
                return try await server.send(path).status
            }
            let source = "return document.querySelector('.expanded [data-media]').src"
            try await browser.open(server.url)
            try await browser.show(server.sample("photo"))
            let url: String = try await browser.value(of: source)
            #expect(url.contains("/v1/attachments/") && url.contains("&lease=") && url.contains("&signature="))
            #expect(try await status(url) == 200)
            try await browser.click(".close")
            try await eventually { try await status(url) != 200 }
            #expect(try await status(url) == 403)

            try await browser.click("[data-again]")
            try await browser.wait(
                until: "return document.querySelector('.expanded [data-media]').src !== arguments[0]",
                url
            )
            let again: String = try await browser.value(of: source)
            #expect(try await status(again) == 200)
            try await browser.open("about:blank")
            try await eventually { try await status(again) != 200 }
            #expect(try await status(again) == 403)
        }
    }

    private func pixels(_ browser: Browser) async throws -> String {
        try await browser.wait(until: "return 'drawn' in document.querySelector('canvas').dataset")
        return try await browser.value(of: "return document.querySelector('canvas').toDataURL()")
    }
}
