import App
import ArgumentParser
import Foundation
import Jobs
import Media
import Storage

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Takes an attachment back everywhere: file, cache, links and bucket object.",
        discussion: """
            Prints the names of the files that were taken back. Their links are answered with 410 from then on. \
            A running attachd that has the store is told at --listen.
            """,
    )

    @Argument(help: "The source's URL, or the ready file's name or URL.") var reference: String
    @OptionGroup var server: ServerOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            guard let reference = AttachmentReference(reference) else {
                throw CommandError(.usage, "\"\(reference)\" is neither a URL nor the name of a ready file.")
            }
            let settings = try await common.settings(server.options)
            // The running one first: what it is making must not be stored after we have looked.
            var names = try await namesForgotten(by: reference, settings)
            do {
                let forgetting = try Forgetting(settings)
                defer { forgetting.shutDown() }
                names.formUnion(try await forgetting.forget(reference).map(\.description))
            } catch let error as StoreError {
                throw CommandError(.cannotWrite, error.description)
            } catch let error as AttachmentFailure {
                throw CommandError(.failure, "The attachment was taken back here, but not everywhere. \(error.message)")
            }
            guard !names.isEmpty else {
                throw CommandError(.inputNotFound, "No ready file of that source is known.")
            }
            for name in names.sorted() { print(name) }
        }
    }

    /// What a running attachd took back; none if there is none.
    private func namesForgotten(by reference: AttachmentReference, _ settings: Settings) async throws -> Set<String> {
        guard AttachmentStore.isInUse(at: settings.store) else { return [] }
        let client = try SidecarClient(settings)
        defer { client.shutDown() }
        do {
            return Set(try await client.forget(reference))
        } catch let error as JobQueueError {
            let advice =
                "The attachd that has the store could not be told, and may still have the attachment in memory."
            FileHandle.standardError.write(Data("attachd: \(advice) \(error)\n".utf8))
            return []
        }
    }
}
