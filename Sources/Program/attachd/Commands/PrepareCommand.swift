import App
import ArgumentParser
import Base
import Batch
import FoundationEssentials
import Media
import Payloads
import Settings
import Templates

struct PrepareCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "prepare",
        abstract: "Lets a running attachd prepare sources in advance, and prints one answer per line.",
        discussion: """
            Each line of the file is a JSON object: {"source": URL, "profile"?: NAME, "until"?: TIME}. Write the time as \
            2026-12-01T18:00:00Z or 6h. Until then, notifications with that source and profile need no download and no \
            decoding at this attachd. If a fleet shares a bucket and a Redis, this applies to all its workers.

            The status is 3 if a source is not ready.
            """,
    )

    @Argument(help: "The file with one source per line, or - for standard input.", completion: .file())
    var file = "-"
    @Option(
        help: "Write a page with all pictures, types, sizes and failures to this file as HTML.",
        completion: .file()
    )
    var report: String?
    @OptionGroup var server: ServerOptions
    @OptionGroup var common: CommonOptions

    /// The number of sources that one request asks for.
    private static let listLength = 20
    /// The number of times that a request is sent to an attachd with too much to do, a second apart.
    private static let attemptLimit = 60

    func perform() async throws {
        try OutputPath.check(report)
        let settings = try common.settings(server.options)
        let sources = try sources(in: PayloadInput.readAll(file))
        let client = try SidecarClient(settings)
        defer { client.shutDown() }
        var answers: [JSONValue] = []
        var problem: AttachmentFailure?
        do throws(AttachmentFailure) {
            for start in stride(from: 0, to: sources.count, by: Self.listLength) {
                let part = try await prepare(Array(sources[start...].prefix(Self.listLength)), client)
                for answer in part { print(answer.compactText) }
                answers += part
            }
        } catch {
            problem = error
        }
        if let report {
            let page = PrepareReport(sources: sources, answers: answers).html
            try await OutputPath.write(Data(page.utf8), to: report)
        }
        if let problem { throw CommandError(.failure, problem.message) }
        let missing = answers.count { $0["ready"] != .bool(true) }
        guard missing == 0 else {
            throw CommandError(.notComplete, "\(missing) of \(answers.count) sources are not ready; see above.")
        }
    }

    /// Has the sources prepared. Waits while the running attachd has too much to do.
    private func prepare(_ sources: [JSONValue], _ client: SidecarClient) async throws(AttachmentFailure) -> [JSONValue]
    {
        for _ in 0..<Self.attemptLimit {
            if let answers = try await client.prepare(sources) { return answers }
            // A failed sleep is a cancelled command.
            try? await SystemTime().sleep(for: .seconds(1))
        }
        throw AttachmentFailure(
            .download,
            .originUnavailable,
            "The running attachd is busy. Try again later."
        )
    }

    private func sources(in bytes: [UInt8]) throws -> [JSONValue] {
        try bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .filter { !$0.element.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } }
            .map { index, line in
                do throws(JSONError) {
                    return try JSONValue(parsing: Array(line))
                } catch {
                    throw CommandError(.badInput, "\(file), line \(index + 1): \(error)")
                }
            }
    }
}

// MARK: - The report

/// A page of what was made ready ahead of time, to look at before the campaign is sent.
struct PrepareReport {
    let sources: [JSONValue]
    /// The answers to the sources, in the same order. If a request failed, its sources and all after it have none.
    let answers: [JSONValue]

    private var readyCount: Int { answers.count { $0["ready"] == .bool(true) } }

    var html: String {
        let title = "\(readyCount) of \(sources.count) sources are ready"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src https: http: file:; \
            media-src https: http: file:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
            <title>\(title)</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <header>
            <h1>\(title)</h1>
            <dl>
            \(totals.map { "<div><dt>\($0)</dt><dd>\(HTMLText.escape($1))</dd></div>" }.joined(separator: "\n"))
            </dl>
            </header>
            <main>
            <table role="table" aria-label="Sources">
            <thead role="rowgroup"><tr role="row">\(Self.columns.map(Self.header).joined())</tr></thead>
            <tbody role="rowgroup">
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            </main>
            <footer><p>Made by attachd. The pictures are the files themselves, so they show as long as their links are \
            valid.</p></footer>
            </body>
            </html>

            """
    }

    private static let columns = ["Picture", "Source", "File", "Ready until"]

    private static func header(_ name: String) -> String { "<th scope=\"col\" role=\"columnheader\">\(name)</th>" }

    /// The figures above the table: their names and values.
    private var totals: [(String, String)] {
        let files = answers.compactMap { $0["attachment"] }.filter { $0["bytes"] != nil }
        let after = files.compactMap { Self.number("bytes", of: $0) }
        let before = files.compactMap { file in file["source"].flatMap { Self.number("bytes", of: $0) } }
        var totals = [("Ready", "\(readyCount)"), ("Not ready", "\(answers.count - readyCount)")]
        if answers.count < sources.count { totals.append(("Not asked for", "\(sources.count - answers.count)")) }
        if !files.isEmpty { totals.append(("Files", SizeChange.size(Self.sum(after)))) }
        // A file whose source was not read again has no size to compare with.
        if before.count == after.count,
            let change = SizeChange(from: Self.sum(before), to: Self.sum(after))
        {
            let sources = SizeChange.size(Self.sum(before))
            totals.append(("Sources", "\(sources), \(change.text)\(change.isGrowth ? "" : " saved")"))
        }
        if let first = answers.compactMap({ $0["until"]?.text }).min() { totals.append(("All ready until", first)) }
        return totals
    }

    private static func sum(_ sizes: [Int]) -> Int { sizes.reduce(0) { $0.addingClamped($1) } }

    /// The rows of the table. The sources that are not ready come first.
    private var rows: [String] {
        let asked = zip(sources, answers)
        return asked.filter { $1["ready"] != .bool(true) }.map { row($0, $1) }
            + sources.dropFirst(answers.count).map { row($0, nil) }
            + asked.filter { $1["ready"] == .bool(true) }.map { row($0, $1) }
    }

    private func row(_ source: JSONValue, _ answer: JSONValue?) -> String {
        let attachment = answer?["attachment"] ?? .null
        let isReady = answer?["ready"] == .bool(true)
        let state = answer == nil ? "not asked for" : "not ready"
        let until = isReady ? answer?["until"]?.text.map(HTMLText.escape) ?? "" : "<b class=\"failed\">\(state)</b>"
        let problems = [answer?["error"]?["message"], answer?["remark"], answer?["detail"]].compactMap { $0?.text }
            .map { "<p class=\"\(isReady ? "remark" : "failed")\">\(HTMLText.escape($0))</p>" }.joined()
        let name = HTMLText.escape(source["source"]?.text ?? source.compactText)
        let profile = (answer?["profile"]?.text).map { "<small>\(HTMLText.escape($0))</small>" } ?? ""
        return "<tr role=\"row\"><td role=\"cell\" class=\"picture\">\(media(attachment))</td>"
            + "<th scope=\"row\" role=\"rowheader\"><bdi>\(name)</bdi> \(profile)\(problems)</th>"
            + "<td role=\"cell\">\(facts(attachment))</td><td role=\"cell\" class=\"until\">\(until)</td></tr>"
    }

    private func media(_ attachment: JSONValue) -> String {
        guard let url = attachment["url"]?.text.map(HTMLText.escape), let type = attachment["mime"]?.text else {
            return "<span class=\"none\">nothing</span>"
        }
        if type.hasPrefix("image/") {
            let size = ["width", "height"].map { name in
                Self.number(name, of: attachment).map { "\(name)=\"\($0)\" " } ?? ""
            }
            return "<img loading=\"lazy\" alt=\"\" \(size.joined())src=\"\(url)\">"
        }
        let kind = type.hasPrefix("audio/") ? "audio" : "video"
        return "<\(kind) controls preload=\"none\" aria-label=\"The file\" src=\"\(url)\"></\(kind)>"
    }

    private func facts(_ attachment: JSONValue) -> String {
        func number(_ key: String) -> Int? { Self.number(key, of: attachment) }
        var facts = [number("bytes").map(SizeChange.size), attachment["mime"]?.text]
        if let width = number("width"), let height = number("height") { facts.append("\(width) × \(height)") }
        facts.append(number("duration").map { "\(Double($0 / 100) / 10) s" })
        return facts.compactMap(\.self).map { "<span>\(HTMLText.escape($0))</span>" }.joined(separator: " ")
    }

    private static func number(_ key: String, of value: JSONValue) -> Int? {
        value[key]?.double.flatMap { Int(exactly: $0) }
    }

    private static let style = """
        :root{color-scheme:light dark;--back:#fbfbfa;--card:#fff;--ink:#1c1d1f;--soft:#64686e;--line:#dfe1e4;--bad:#b3261e;\
        --light:#fff;--dark:#d7dade}
        @media(prefers-color-scheme:dark){:root{--back:#141517;--card:#1d1f22;--ink:#e8e9eb;--soft:#9aa0a8;--line:#33363b;\
        --bad:#ff8f86;--light:#5b5f66;--dark:#494d53}}
        *{box-sizing:border-box}
        body{margin:0;padding:14px 20px 30px;background:var(--back);color:var(--ink);\
        font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
        h1{margin:0 0 10px;font-size:19px}
        dl{display:flex;flex-wrap:wrap;gap:8px;margin:0 0 14px}
        dl div{padding:8px 14px;border:1px solid var(--line);border-radius:8px;background:var(--card)}
        dt{font-size:13px;color:var(--soft)}
        dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
        table{border-collapse:collapse;width:100%}
        thead th{padding:4px 14px 4px 0;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}
        tbody tr{border-bottom:1px solid var(--line)}
        tbody :is(td,th){padding:8px 14px 8px 0;text-align:left;vertical-align:middle;font-weight:400;\
        font-variant-numeric:tabular-nums}
        tbody th{overflow-wrap:anywhere;min-width:14em}
        td span{display:block}
        td span:not(:first-child),small,footer,.remark{color:var(--soft)}
        small{font-size:13px}
        .picture{width:11rem}
        :is(img,video){display:block;width:auto;height:auto;max-width:10rem;max-height:8rem;border-radius:6px}
        img{background:repeating-conic-gradient(var(--dark) 0 25%,var(--light) 0 50%) 0 0/14px 14px}
        audio{display:block;width:10rem}
        .none{display:flex;align-items:center;justify-content:center;width:96px;height:54px;border:1px dashed var(--line);\
        border-radius:6px;color:var(--soft);font-size:12px}
        .until{white-space:nowrap}
        .failed{color:var(--bad)}
        p{margin:2px 0 0;font-size:13px}
        footer{margin-top:14px}
        @media(max-width:760px){
        body{padding:12px 14px 24px}
        table,tbody{display:block}
        thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        tbody tr{display:grid;grid-template-columns:96px minmax(0,1fr);gap:2px 12px;padding:10px 0;align-items:start}
        tbody :is(td,th){display:block;grid-column:2;padding:0;min-width:0}
        tbody .picture{grid-area:1/1/span 3;width:96px}
        :is(img,video,audio){max-width:96px}
        td span:not(.none){display:inline;margin-right:8px}
        .until{white-space:normal;color:var(--soft);font-size:13px}
        }
        """
}
