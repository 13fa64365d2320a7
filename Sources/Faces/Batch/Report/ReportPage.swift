import Digests
import Files
import Foundation
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

    private static let rowTemplate = template(PackageResources.row_mustache)

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
            try FileContent.write(Array(Self.template(part).render(head).utf8), to: page, named: Self.name)
        }
        try copyRows(to: page)
        let tail: [String: Any] = ["script": Self.text(PackageResources.script_js)]
        let tailText = Self.template(PackageResources.tail_mustache).render(tail)
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

    private static func template(_ bytes: [UInt8]) -> MustacheTemplate {
        do {
            return try HTMLText.template(text(bytes))
        } catch {
            preconditionFailure("a template of the report is malformed: \(error)")
        }
    }
}
