import ArgumentParser
import Settings

struct DialectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dialects",
        abstract: "Lists the positions of attachments in the payloads of push services, and the rules of the profiles.",
        discussion: """
            The dialects are in the order in which they are tried. The first one that finds an attachment counts. A * \
            in a path means every element of an array or every member of an object, and ... a payload in any \
            dialect of payloads. A profile in the first table is the one that the path's platform needs.
            """,
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported { print(DialectListing(try common.settings()).text) }
    }
}
