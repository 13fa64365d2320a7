import Base
import Foundation
import Support
import Testing

@Suite("The reports in a browser", .needsBrowser, .serialized, .timeLimit(.minutes(10)))
struct ReportsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var errors: URL { folder.url.appending(path: "errors") }

    private func start(_ arguments: [String]) throws -> ChildProgram {
        try ChildProgram(
            [BuiltProgram.path("attachd")] + arguments,
            in: folder.url,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path],
            errors: errors.path,
        )
    }

    private func run(_ arguments: [String], status: Set<Int32> = [0]) throws {
        let program = try start(arguments)
        _ = try program.readToEnd()
        let ended = program.wait()
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(status.contains(ended), "\(ended): \(said)")
    }

    /// Expects that a page fits a phone and a desk, light and dark, and that axe finds nothing.
    private func expectGood(_ page: URL, _ browser: Browser) async throws {
        for (width, height, isDark) in [(390, 844, false), (390, 844, true), (1280, 800, false), (1280, 800, true)] {
            try await browser.resize(width: width, height: height)
            try await browser.setDark(isDark)
            try await browser.open(page.absoluteString)
            #expect(try await browser.overflows() == [], "\(width)")
            #expect(try await browser.touchingLabels() == [], "\(width)")
            if Axe.script != nil { #expect(try await browser.axeFindings() == [], "\(width), dark: \(isDark)") }
            #expect(try await browser.errors() == [])
        }
        try await browser.setDark(false)
    }

    @Test("a batch's report has its summary first, fits a phone, and sorts without its headers")
    func batch() async throws {
        let media = PreviewServer.samples.appending(path: "media")
        let input = folder.url.appending(path: "in")
        try FileManager.default.createDirectory(at: input, withIntermediateDirectories: true)
        for name in ["photo.jpg", "launch.gif", "launch.mp4", "chime.m4a"] {
            try FileManager.default.copyItem(at: media.appending(path: name), to: input.appending(path: name))
        }
        try Data("no picture".utf8).write(
            to: input.appending(path: "\(String(repeating: "long-name-", count: 20)).txt")
        )
        try Data("no picture".utf8).write(to: input.appending(path: "שלום.txt"))
        try run(["batch", input.path, "--out", folder.url.appending(path: "out").path])
        let report = folder.url.appending(path: "out/report.html")
        try await Browser.run { browser in
            try await expectGood(report, browser)
            let plots: [String] = try await browser.value(
                of: "return [...document.querySelectorAll('.summary svg')].map(plot => plot.ariaLabel)"
            )
            try #require(plots.count == 3)
            #expect(plots[0] == "Complete: 4. No output: 2. ")
            #expect(plots[1].hasPrefix("before: ") && plots[1].contains("after: ") && plots[2].hasPrefix("files: "))
            // The shapes in the table are explained above it, and visibly.
            let key: Bool = try await browser.value(
                of: """
                    const key = document.querySelector("#key");
                    return key.checkVisibility() && ["dashed", "filled"].every(word => key.textContent.includes(word)) &&
                      document.querySelector("#files .saved rect") !== null
                    """
            )
            #expect(key)
            let isFirst: Bool = try await browser.value(
                of: """
                    const [summary, table] = [".summary", "#files"].map(part => document.querySelector(part));
                    return Boolean(summary.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING)
                    """
            )
            #expect(isFirst)
            try await browser.resize(width: 390, height: 844)
            for (isDescending, first) in [(false, "chime.m4a"), (true, "photo.jpg")] {
                try await browser.run(
                    """
                    const { sort, down } = document.getElementById("tools").elements;
                    sort.value = "before";
                    down.checked = arguments[0];
                    down.dispatchEvent(new Event("change"));
                    """,
                    isDescending
                )
                #expect(try await browser.text("#files tbody th") == first)
            }
            try await browser.click("[name=sheet]")
            #expect(try await browser.overflows() == [])
        }
    }

    @Test("a page of prepared sources has its totals first, then what failed, and fits a phone")
    func prepare() async throws {
        try await PreviewServer.run { server, browser in
            let sources = ["photo.jpg", "launch.mp4", "chime.m4a", "\(String(repeating: "missing-", count: 30)).jpg"]
                .map { #"{"source": "\#(server.origin.url("/\($0)"))"}"# }
            let file = try folder.write(sources.joined(separator: "\n"), to: "sources.jsonl")
            let report = folder.url.appending(path: "look.html")
            try run(
                ["prepare", file, "--listen", "127.0.0.1:\(server.port)", "--report", report.path],
                status: [3]
            )
            try await expectGood(report, browser)
            #expect(try await browser.text("h1") == "3 of 4 sources are ready")
            let totals: [String] = try await browser.value(
                of: """
                    return [...document.querySelectorAll("dl div")].map(total => total.innerText.replace(/\\s+/g, " "))
                    """
            )
            #expect(totals.prefix(2) == ["Ready 3", "Not ready 1"])
            #expect(totals.contains { $0.wholeMatch(of: /Files [0-9]+ kB/) != nil })
            #expect(totals.contains { $0.wholeMatch(of: /Sources 1.5 MB, [0-9]+ % saved/) != nil })
            #expect(totals.last?.hasPrefix("All ready until 20") == true)
            #expect(try await browser.text("tbody tr:first-child th").contains("404"))
            let isLoaded: Bool = try await browser.value(
                of: "return [...document.images].length === 1 && document.images[0].naturalWidth > 0"
            )
            #expect(isLoaded)
        }
    }

    @Test("a load test's report fits a phone, with plots of their own")
    func loadTest() async throws {
        let routes = folder.url.appending(path: "worker/v1")
        try FileManager.default.createDirectory(at: routes, withIntermediateDirectories: true)
        let result = #"{"outcome":"complete","attachments":[],"timings":{"decode":3,"total":4},"margin":900}"#
        try Data(result.utf8).write(to: routes.appending(path: "notifications"))
        let origin = try start(["origin", folder.url.appending(path: "worker").path, "--listen", "127.0.0.1:0"])
        defer {
            origin.terminate()
            origin.wait()
        }
        let url = try #require(try origin.readLine(beginning: "http://"))
        let report = folder.url.appending(path: "load.html")
        // On a busy machine the generator may fall behind its schedule, which makes the result invalid, not the report.
        try run(
            [
                "loadtest", url, "--source", "http://127.0.0.1/a.jpg", "--rate", "20,40,60", "--duration", "1s",
                "--warm-up", "0s", "--budget", "failed<100%", "--report", report.path,
            ],
            status: [0, 1]
        )
        try await Browser.run { browser in
            try await expectGood(report, browser)
            for (width, kind) in [(390, "slim"), (1280, "broad")] {
                try await browser.resize(width: width, height: 800)
                let shown: [String] = try await browser.value(
                    of: """
                        const plots = [...document.querySelectorAll("figure > div")];
                        return [...new Set(plots.filter(plot => plot.checkVisibility()).map(plot => plot.className))]
                        """
                )
                #expect(shown == [kind])
            }
        }
    }
}
