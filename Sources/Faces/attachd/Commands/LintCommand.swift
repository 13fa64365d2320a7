import ArgumentParser
import Payloads
import Settings

struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Tells why a notification would show without its media, from its payload alone.",
        discussion: """
            Checks the payload against what Apple's devices, Firebase and browsers do with it: marks and alerts that \
            are missing, sizes, URLs that a phone cannot load or whose signature has expired, and formats that it \
            does not show. Nothing is downloaded. Each finding says what it means, what to do, and where that is \
            written.

            Errors mean that something does not show. The status is 1 if there is one, and 0 if there are only \
            warnings and notes, or nothing. Categories with a content extension are read from the configuration.
            """,
    )

    @OptionGroup var payload: PayloadOptions
    @Flag(help: "Print a JSON object instead of text.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            let settings = try common.settings()
            let listing = try listing(payload.read(), settings)
            print(json ? listing.json.compactText : listing.text)
            guard !listing.hasErrors else { throw ExitStatus.failure.code }
        }
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
