import Foundation
import Support
import Testing
import Timing

@Suite("The reports in a browser", .needsBrowser, .serialized, .timeLimit(.minutes(5)))
struct ReportsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ arguments: [String]) throws -> ChildProgram {
        try ChildProgram(
            [BuiltProgram.path("attachd")] + arguments,
            in: folder.url,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path],
            errors: "/dev/null",
        )
    }

    private func run(_ arguments: [String]) throws {
        let program = try start(arguments)
        _ = try program.readToEnd()
        #expect(program.wait() == 0)
    }

    /// Expects that a page fits a phone and a desk, and that axe finds nothing.
    private func expectGood(_ page: URL, _ browser: Browser) async throws {
        for (width, height) in [(390, 844), (1280, 800)] {
            try await browser.resize(width: width, height: height)
            try await browser.open(page.absoluteString)
            #expect(try await browser.overflows() == [], "\(width)")
            if Axe.script != nil { #expect(try await browser.axeFindings() == [], "\(width)") }
            #expect(try await browser.errors() == [])
        }
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
        try run([
            "loadtest", url, "--source", "http://127.0.0.1/a.jpg", "--rate", "20,40,60", "--duration", "1s",
            "--warm-up", "0s", "--budget", "failed=0", "--report", report.path,
        ])
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
