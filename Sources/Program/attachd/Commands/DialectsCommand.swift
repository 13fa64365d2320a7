import ArgumentParser
import Base
import Media
import Payloads
import Settings

struct DialectsCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "dialects",
        abstract: "Lists the positions of attachments in the payloads of push services, and the rules of the profiles.",
        discussion: """
            attachd tries the dialects in this order and uses the first one that finds an attachment. A * in a path \
            means every element of an array or every member of an object, and ... means a payload in any payload \
            dialect. The first table has the profile for the platform of each path. The second table has the fields \
            beside the URLs, and what attachd does with them.

            With --detect, the command shows for each dialect where it finds attachments in one payload, or why it \
            finds none. The status is 0 if a dialect finds one, otherwise 1.
            """,
    )

    @Option(help: "Say which dialects match the payload in this file (- for standard input).", completion: .file())
    var detect: String?
    @Flag(help: "With --detect: print a JSON object instead of columns.")
    var json = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard detect != nil || !json else { throw ValidationError("--json goes with --detect.") }
    }

    func perform() async throws {
        let settings = try common.settings()
        guard let detect else { return print(DialectListing(settings).text) }
        let listing = DetectionListing(try Self.payload(detect), settings)
        print(json ? listing.json.compactText : listing.text)
        guard listing.matches else { throw ExitStatus.failure.code }
    }

    private static func payload(_ path: String) throws -> JSONValue {
        let bytes = try PayloadInput.read(path)
        do throws(PayloadError) {
            guard bytes.count <= PayloadReader.byteLimit else {
                throw .tooLarge(byteCount: bytes.count, limit: PayloadReader.byteLimit)
            }
            do throws(JSONError) { return try JSONValue(parsing: bytes) } catch { throw .notJSON(error) }
        } catch {
            throw CommandError(.badInput, "\(error)")
        }
    }
}

// MARK: - Listings

/// The known dialects and profiles as text in columns, for `attachd dialects`.
struct DialectListing: Sendable {
    private let dialects: [Dialect]
    private let profiles: [Profile]

    init(_ settings: Settings) {
        dialects = settings.dialects
        profiles = settings.profiles
    }

    /// The listing: one line for each path of each dialect, then one for each field beside a path, then one for each rule
    /// of each profile.
    var text: String {
        let paths = dialects.flatMap { dialect in
            dialect.places.map { [dialect.name, $0.path, $0.profile ?? "-", dialect.source] }
        }
        let fields = dialects.flatMap { dialect in
            dialect.fields.map { [dialect.name, "\($0.pattern)", $0.use, dialect.source] }
        }
        let rules = profiles.flatMap { profile in profile.rules.map { [profile.name, $0.name, $0.value] } }
        return TextColumns.text([["DIALECT", "PATH", "PROFILE", "SOURCE"]] + paths) + "\n\n"
            + TextColumns.text([["DIALECT", "FIELD", "USE", "SOURCE"]] + fields) + "\n\n"
            + TextColumns.text([["PROFILE", "RULE", "VALUE"]] + rules)
    }
}

/// The verdicts of all dialects on one payload, for `attachd dialects --detect`.
struct DetectionListing: Sendable {
    private let verdicts: [DialectVerdict]
    private let media: MediaPlaces

    init(_ payload: JSONValue, _ settings: Settings) {
        verdicts = PayloadReader(dialects: settings.dialects).verdicts(on: payload)
        media = MediaPlaces(in: payload)
    }

    /// A Boolean value that indicates whether any dialect finds an attachment.
    var matches: Bool { verdicts.contains { $0.match != .none } }

    /// The verdicts in columns: the matching dialects first. If none matches, the URLs of media in the payload follow.
    var text: String {
        let sorted = verdicts.filter { $0.match != .none } + verdicts.filter { $0.match == .none }
        let rows = sorted.map { [$0.dialect, $0.match.rawValue, $0.reason.onOneLine(limit: 1000)] }
        let columns = TextColumns.text([["DIALECT", "MATCH", "WHY"]] + rows)
        return matches || media.isEmpty ? columns : "\(columns)\n\n\(media)"
    }

    /// The verdicts in the order in which the dialects are tried.
    var json: JSONValue {
        [
            "matches": .bool(matches), "media": matches ? [] : media.json,
            "configuration": matches || media.isEmpty ? nil : .string(media.configuration),
            "dialects": .array(
                verdicts.map { verdict in
                    [
                        "dialect": .string(verdict.dialect), "match": .string(verdict.match.rawValue),
                        "pointers": .array(verdict.pointers.map { .string($0.description) }),
                        "reason": .string(verdict.reason),
                    ]
                }
            ),
        ]
    }
}
