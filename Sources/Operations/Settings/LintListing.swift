package import Payloads
import Preview
package import Timing
import Values

/// The findings of the linter on one payload, for `attachd lint`.
package struct LintListing: Sendable {
    private let findings: [LintFinding]
    /// The URLs of media in a payload in which no dialect finds an attachment.
    private let media: MediaPlaces?

    /// Reads and checks a payload at the time `now`. `dialect` restricts the search to one dialect.
    package init(
        _ payload: [UInt8],
        pushType: PushType,
        dialect: String?,
        _ settings: Settings,
        now: UnixTime = .now,
    ) throws(PayloadError) {
        let reader = PayloadReader(dialects: settings.dialects)
        let request = try reader.read(payload, identifier: "lint", pushType: pushType, dialect: dialect)
        let linter = PayloadLinter(
            now: now.seconds,
            extensionCategories: settings.extensionCategories,
            dialects: settings.dialects
        )
        findings = linter.findings(in: request)
        let media = findings.contains { $0.code == .attachmentMissing } ? MediaPlaces(in: request.payload) : nil
        self.media = media?.isEmpty == false ? media : nil
    }

    /// A Boolean value that indicates whether any finding is an error.
    package var hasErrors: Bool { count(.error) > 0 }

    /// The findings, errors first: what they mean, what to do, and where that is written. No value of the payload begins
    /// a line.
    package var text: String {
        guard !findings.isEmpty else { return "Nothing found." }
        return findings.map { finding in
            let place = finding.pointer.map { " at \($0)" } ?? ""
            let advice = finding.advice.isEmpty ? [] : ["do:   \(finding.advice)"]
            let lines = [finding.meaning] + advice + ["see:  \(finding.source)"]
            return ([finding.severity.rawValue + " " + finding.code.rawValue + place] + lines.map { "  " + $0 })
                .map { $0.onOneLine() }.joined(separator: "\n")
        }
        .joined(separator: "\n\n") + (media.map { "\n\n\($0)" } ?? "")
    }

    /// The findings as one object.
    package var json: JSONValue {
        [
            "errors": .integer(count(.error)), "warnings": .integer(count(.warning)), "notes": .integer(count(.note)),
            "findings": .array(findings.map(\.json)), "media": media?.json ?? [],
            "configuration": media.map { .string($0.configuration) } ?? .null,
        ]
    }

    private func count(_ severity: LintFinding.Severity) -> Int { findings.count { $0.severity == severity } }
}

extension Settings {
    /// The categories with a content extension, and whether that hides the system's title and text. A category with a
    /// layout has one, as in the preview.
    fileprivate var extensionCategories: [String: Bool] {
        let shown = categories.filter { $0.layout != nil || $0.contentExtension != nil }
        return Dictionary(shown.map { ($0.identifier, $0.contentExtension?.isDefaultContentHidden ?? false) }) {
            first,
            _ in first
        }
    }
}
