import App
import ArgumentParser

struct DialectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dialects",
        abstract: "Lists where push services put attachments, and what the profiles make of them.",
        discussion: """
            Dialects stand in the order in which they are tried: the first that finds an attachment counts. A * in a \
            path stands for every element of an array and every member of an object, and ... for a payload in any \
            dialect of payloads. A profile in the first table is the one that the path's platform needs.
            """,
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported { print(DialectListing(try await common.settings()).text) }
    }
}
