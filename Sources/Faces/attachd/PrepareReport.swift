import Payloads
import Templates

/// A page of what was made ready ahead of time, to look at before the campaign is sent.
struct PrepareReport {
    let sources: [JSONValue]
    /// The answers to the sources, in the same order.
    let answers: [JSONValue]

    var html: String {
        let ready = answers.count { $0["ready"] == .bool(true) }
        // The sources that are not ready come first.
        let rows =
            zip(sources, answers).filter { $1["ready"] != .bool(true) }
            + zip(sources, answers).filter { $1["ready"] == .bool(true) }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src https: http: file:; \
            media-src https: http: file:; style-src 'unsafe-inline'">
            <title>\(ready) of \(answers.count) sources are ready</title>
            <style>\(Self.style)</style>
            <h1>\(ready) of \(answers.count) sources are ready</h1>
            <table>
            <tr><th>Picture<th>Source<th>File<th>Ready until
            \(rows.map(row).joined(separator: "\n"))
            </table>
            </html>

            """
    }

    private static let style = """
        :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; vertical-align: top; padding: .5rem; border-bottom: 1px solid #8884 }
        td:nth-child(2) { overflow-wrap: anywhere }
        td:nth-child(n + 3) { white-space: nowrap }
        img, video { max-width: 12rem; max-height: 9rem; border-radius: 8px }
        .failed { color: #c22 }
        """

    private func row(_ source: JSONValue, _ answer: JSONValue) -> String {
        let attachment = answer["attachment"] ?? .null
        let until = answer["until"]?.text.map(HTMLText.escape) ?? "<b class=failed>not ready</b>"
        let problems = [answer["error"]?["message"], answer["remark"], answer["detail"]].compactMap { $0?.text }
            .map { "<p class=failed>\(HTMLText.escape($0))" }.joined()
        let names = [source["source"]?.text, answer["profile"]?.text].compactMap(\.self).map(HTMLText.escape)
        return "<tr><td>\(media(attachment))<td>\(names.joined(separator: "<br>"))\(problems)"
            + "<td>\(facts(attachment))<td>\(until)"
    }

    private func media(_ attachment: JSONValue) -> String {
        guard let url = attachment["url"]?.text.map(HTMLText.escape), let type = attachment["mime"]?.text else {
            return ""
        }
        if type.hasPrefix("image/") { return "<img loading=lazy alt=\"\" src=\"\(url)\">" }
        return "<\(type.hasPrefix("audio/") ? "audio" : "video") controls preload=none src=\"\(url)\">"
            + "</\(type.hasPrefix("audio/") ? "audio" : "video")>"
    }

    private func facts(_ attachment: JSONValue) -> String {
        func number(_ key: String) -> String? { if case .number(let text)? = attachment[key] { text } else { nil } }
        var facts = [attachment["mime"]?.text, number("bytes").map { "\($0) bytes" }]
        if let width = number("width"), let height = number("height") { facts.append("\(width) × \(height)") }
        facts.append(number("duration").map { "\($0) ms" })
        return facts.compactMap(\.self).map(HTMLText.escape).joined(separator: "<br>")
    }
}
