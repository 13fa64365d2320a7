import ArgumentParser
import Base
import Payloads
import Settings

struct LintCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Explains why a notification would show without its media, from its payload alone.",
        discussion: """
            Checks whether Apple's devices, Firebase and browsers would show the media of this payload. It finds \
            missing keys and alerts, payloads that are too large, URLs that a phone cannot load or whose signature \
            has expired, and formats that a platform does not show. The command downloads nothing. Each finding has \
            its meaning, the correction, and the source of the rule.

            An error means that the media will not appear. The status is 1 if there is an error, otherwise 0. \
            Categories with a content extension come from the configuration.
            """,
    )

    @OptionGroup var payload: PayloadOptions
    @Flag(help: "Print a JSON object instead of text.")
    var json = false
    @OptionGroup var common: CommonOptions

    func perform() async throws {
        let settings = try common.settings()
        let listing = try listing(payload.read(), settings)
        print(json ? listing.json.compactText : listing.text)
        guard !listing.hasErrors else { throw ExitStatus.failure.code }
    }

    private func listing(_ bytes: [UInt8], _ settings: Settings) throws -> LintListing {
        do throws(PayloadError) {
            return try LintListing(bytes, pushType: payload.pushType, dialect: payload.dialect, settings)
        } catch {
            if case .unknownDialect = error { throw CommandError(.badConfiguration, "\(error)") }
            throw CommandError(.badInput, "\(payload.path): \(error)")
        }
    }
}

// MARK: - Listing

/// The findings of the linter on one payload, for `attachd lint`.
struct LintListing: Sendable {
    private let findings: [LintFinding]
    /// The URLs of media in a payload in which no dialect finds an attachment.
    private let media: MediaPlaces?

    /// Reads and checks a payload at the time `now`. `dialect` restricts the search to one dialect.
    init(
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
    var hasErrors: Bool { count(.error) > 0 }

    /// The findings, errors first: what they mean, what to do, and where that is written. No value of the payload begins
    /// a line.
    var text: String {
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
    var json: JSONValue {
        [
            "errors": .integer(count(.error)), "warnings": .integer(count(.warning)), "notes": .integer(count(.note)),
            "findings": .array(findings.map(\.json)), "media": media?.json ?? [],
            "configuration": media.map { .string($0.configuration) } ?? .null,
        ]
    }

    private func count(_ severity: LintFinding.Severity) -> Int { findings.count { $0.severity == severity } }
}
