import Base
import Files
import FoundationEssentials
import Glibc
import Media
import Mustache
import Payloads
import Templates

/// The file `report.html`: a contact sheet of the batch in one file, which loads no other resources.
///
/// Rows are written to the disk immediately. The number of files on a page is limited, with a separate limit for files
/// with problems.
final class ReportPage {
    static let name = "report.html"
    private static let rowLimit = 5000
    private static let rowsName = "tmp-rows"
    private static let pageName = "tmp-report"

    private let output: OutputFolder
    private let previews: PreviewFile
    private let title: String
    private let rows: Int32
    private var buffer: [UInt8] = []
    private var summary = ReportSummary()
    /// The numbers of rows on the page: of complete files, and of others.
    private var shown: [Bool: Int] = [:]
    private var failure: FileError?

    init(in output: OutputFolder, previews: PreviewFile, title: String) throws(FileError) {
        self.output = output
        self.previews = previews
        self.title = title
        rows = try output.scratch.replaceFile(Self.rowsName)
    }

    deinit { close(rows) }

    func add(_ line: ManifestLine) {
        guard let outcome = line.outcome else { return }
        let row = ReportRow(line, preview: line.outputSHA256.flatMap(previews.preview))
        summary.add(row, outcome)
        let isFine = outcome == .complete
        guard shown[isFine, default: 0] < Self.rowLimit else { return }
        shown[isFine, default: 0] += 1
        buffer += Self.text(of: row).utf8
        guard buffer.count > 1_048_576 else { return }
        flush()
    }

    private static let rowTemplate = HTMLText.template(embedded: PackageResources.row_mustache)

    static func text(of row: ReportRow) -> String { rowTemplate.render(row.context) }

    private func flush() {
        do throws(FileError) {
            try FileContent.write(buffer, to: rows, named: Self.name)
        } catch {
            failure = error
        }
        buffer = []
    }

    /// Completes the page and moves it to its location.
    func finish() throws(FileError) {
        flush()
        if let failure { throw failure }
        let page = try output.scratch.replaceFile(Self.pageName)
        defer { close(page) }
        for part in [
            PackageResources.head_mustache, PackageResources.summary_mustache, PackageResources.table_mustache,
        ] {
            let text = HTMLText.template(embedded: part).render(head)
            try FileContent.write(Array(text.utf8), to: page, named: Self.name)
        }
        try copyRows(to: page)
        let tail: [String: Any] = ["script": Self.text(PackageResources.script_js)]
        let tailText = HTMLText.template(embedded: PackageResources.tail_mustache).render(tail)
        try FileContent.write(Array(tailText.utf8), to: page, named: Self.name)
        guard fsync(page) == 0 else { throw FileError("write to the disk", Self.name) }
        try output.scratch.move(Self.pageName.utf8, to: output.root, as: Self.name.utf8)
    }

    private func copyRows(to page: Int32) throws(FileError) {
        guard let (source, status) = try output.scratch.openFile(Self.rowsName.utf8) else {
            throw FileError("open", Self.rowsName, ENOENT)
        }
        defer { close(source) }
        _ = try FileContent.copy(Int(status.st_size), from: source, to: page, named: Self.name)
    }

    private var head: [String: Any] {
        let left = summary.count - shown.values.reduce(0, +)
        var head = summary.context
        head["title"] = title
        head["policy"] = Self.policy
        head["style"] = Self.text(PackageResources.style_css)
        if left > 0 { head["left"] = left }
        return head
    }

    /// The Content Security Policy, which forbids all resources except the page's own script and style.
    private static let policy: String = {
        let (script, style) = (source(of: PackageResources.script_js), source(of: PackageResources.style_css))
        return "default-src 'none'; img-src data:; script-src \(script); style-src \(style); base-uri 'none'; "
            + "form-action 'none'"
    }()

    /// Returns the policy's source expression for an allowed text (Content Security Policy 3, hash-source).
    private static func source(of text: [UInt8]) -> String {
        "'sha256-\(Data(SHA256.digest(of: text)).base64EncodedString())'"
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

// MARK: - One file's row

/// The report's row for one file.
struct ReportRow {
    private static let thumbnailEdge = 192.0
    private static let scaleEdge = 62.0

    let beforeBytes: Int?
    let afterBytes: Int?
    let milliseconds: Int?
    private(set) var context: [String: Any]

    /// Creates a row. `preview` is a JPEG.
    init(_ line: ManifestLine, preview: [UInt8]?) {
        let attachment = line.attachment
        let source = attachment?["source"]
        let outcome = line.outcome ?? .skipped
        beforeBytes = line.content?.byteCount
        afterBytes = attachment?["bytes"]?.whole
        milliseconds = line.json["timings"]?["total"]?.whole
        var context: [String: Any] = [
            "path": line.path?.text ?? "", "outcome": outcome.rawValue, "rung": attachment?["rung"]?.text ?? "",
            "placeholder": Self.placeholder(attachment, outcome),
            "errors": line.errors.map { ["message": $0["message"]?.text ?? ""] },
        ]
        context["href"] = line.output?.urlText
        context["beforeBytes"] = beforeBytes
        context["afterBytes"] = afterBytes
        if let beforeBytes, let afterBytes, let change = SizeChange(from: beforeBytes, to: afterBytes) {
            context["saved"] = "\(change.saved)"
            context["change"] = change.context
        }
        context["time"] = milliseconds.map { "\($0)" }
        context["duration"] = milliseconds.map(Self.duration)
        context["before"] = source.map(Self.side) ?? beforeBytes.map { ["size": SizeChange.size($0)] }
        context["after"] = attachment.map(Self.side)
        let (was, now) = (source.flatMap(Self.pixels), attachment.flatMap(Self.pixels))
        if let was, let now { context["scale"] = Self.scale(was, now) }
        if let preview, let size = now {
            let factor = min(1, Self.thumbnailEdge / max(size.width, size.height))
            context["preview"] = Data(preview).base64EncodedString()
            context["width"] = Int(clamping: (size.width * factor).rounded())
            context["height"] = Int(clamping: (size.height * factor).rounded())
        }
        self.context = context
    }

    /// Formats a duration as `300 ms` or `1.2 s`.
    static func duration(_ milliseconds: Int) -> String {
        milliseconds < 1000 ? "\(milliseconds) ms" : "\((Double(milliseconds) / 1000).tenths) s"
    }

    private static func side(_ value: JSONValue) -> [String: Any] {
        var shape: [String] = []
        if let size = pixels(value) { shape.append("\(Int(clamping: size.width)) × \(Int(clamping: size.height))") }
        if let frames = value["frames"]?.whole, frames > 1, value["duration"]?.whole == nil {
            shape.append("\(frames) frames")
        }
        if let duration = value["duration"]?.whole { shape.append("\(Double(duration / 100) / 10) s") }
        let kind = value["mime"]?.text?.split(separator: "/").last.map(String.init) ?? ""
        return [
            "size": value["bytes"]?.whole.map(SizeChange.size) ?? "", "kind": kind,
            "shape": shape.joined(separator: ", "),
        ]
    }

    private static func pixels(_ value: JSONValue) -> (width: Double, height: Double)? {
        guard let width = value["width"]?.double, let height = value["height"]?.double, width > 0, height > 0 else {
            return nil
        }
        return (width, height)
    }

    private static func scale(
        _ was: (width: Double, height: Double),
        _ now: (width: Double, height: Double),
    ) -> [String: Any] {
        let factor = scaleEdge / max(was.width, was.height, now.width, now.height)
        func length(_ pixels: Double) -> String { "\((pixels * factor * 10).rounded() / 10)" }
        return [
            "wasWidth": length(was.width), "wasHeight": length(was.height), "isWidth": length(now.width),
            "isHeight": length(now.height),
        ]
    }

    private static func placeholder(_ attachment: JSONValue?, _ outcome: ManifestLine.Outcome) -> String {
        guard let mime = attachment?["mime"]?.text else { return outcome == .skipped ? "skipped" : "nothing" }
        return mime.hasPrefix("audio/") ? "♪ sound" : "no preview"
    }
}

extension JSONValue {
    /// A whole number.
    var whole: Int? { double.flatMap { Int(exactly: $0) } }
}

/// The change from a file's size to that of its output.
package struct SizeChange {
    /// The saved share in percent, without decimals. It is negative if the output is larger.
    let saved: Int
    package let isGrowth: Bool
    /// The amount, such as `93 %`, `under 1 %` or `grew 12 %`.
    package let text: String

    /// Creates the change. Returns `nil` for an empty file.
    package init?(from before: Int, to after: Int) {
        guard before > 0 else { return nil }
        let share = (Double(before) - Double(after)) * 100 / Double(before)
        // Towards zero, so that "100 %" always means that nothing is left.
        saved = Int(clamping: share.rounded(.towardZero))
        isGrowth = after > before
        let amount = saved == 0 && after != before ? "under 1 %" : "\(saved.magnitude) %"
        text = isGrowth ? "grew \(amount)" : amount
    }

    var context: [String: Any] { ["text": text, "isGrowth": isGrowth] }

    /// Formats a size as `74 kB`.
    package static func size(_ byteCount: Int) -> String {
        for (unit, bytes) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where Double(byteCount) >= bytes {
            let number = Double(byteCount) / bytes
            return "\(number < 10 ? number.tenths : "\(Int(clamping: number.rounded()))") \(unit)"
        }
        return "\(byteCount) bytes"
    }
}
