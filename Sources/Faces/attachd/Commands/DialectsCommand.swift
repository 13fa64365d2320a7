import ArgumentParser
import Payloads
import Settings

struct DialectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dialects",
        abstract: "Lists the positions of attachments in the payloads of push services, and the rules of the profiles.",
        discussion: """
            The dialects are in the order in which they are tried. The first one that finds an attachment counts. A * \
            in a path means every element of an array or every member of an object, and ... a payload in any \
            dialect of payloads. A profile in the first table is the one that the path's platform needs. The second \
            table has the fields beside the URLs, and what becomes of them.

            With --detect, each dialect says of one payload whether it finds an attachment there, and where, or why \
            not. The status is 0 if one does, and 1 if none does.
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

    func run() async throws {
        try await CommandError.reported {
            let settings = try common.settings()
            guard let detect else { return print(DialectListing(settings).text) }
            let listing = DetectionListing(try Self.payload(detect), settings)
            print(json ? listing.json.compactText : listing.text)
            guard listing.matches else { throw ExitStatus.failure.code }
        }
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
