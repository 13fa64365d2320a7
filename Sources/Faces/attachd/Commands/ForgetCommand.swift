import App
import ArgumentParser
import Files
import Settings
import Foundation
import Jobs
import Media
import Storage

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Takes an attachment back everywhere: its file, cache entries, links and bucket object.",
        discussion: """
            Prints the names of the files that were taken back. Requests for them are then answered with 410. \
            Also notifies a running attachd with the same store at --listen.
            """,
    )

    @Argument(help: "The URL of the source, or the name or the URL of the ready file.") var reference: String
    @OptionGroup var server: ServerOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            guard let reference = AttachmentReference(reference) else {
                throw CommandError(.usage, "\"\(reference)\" is neither a URL nor the name of a ready file.")
            }
            let settings = try common.settings(server.options)
            // Notify the running process first: it must not store an attachment in progress after this process has
            // looked.
            var names = try await namesForgotten(by: reference, settings)
            do {
                let forgetting = try Forgetting(settings)
                defer { forgetting.shutDown() }
                names.formUnion(try await forgetting.forget(reference).map(\.description))
            } catch let error as FileError {
                throw CommandError(.cannotWrite, error.description)
            } catch let error as AttachmentFailure {
                throw CommandError(.failure, "The attachment was taken back here, but not everywhere. \(error.message)")
            }
            guard !names.isEmpty else {
                throw CommandError(.inputNotFound, "No ready file from that source is known.")
            }
            for name in names.sorted() { print(name) }
        }
    }

    /// Returns the names that a running attachd took back. Returns an empty set if no process is running.
    private func namesForgotten(by reference: AttachmentReference, _ settings: Settings) async throws -> Set<String> {
        guard AttachmentStore.isInUse(at: settings.store) else { return [] }
        let client = try SidecarClient(settings)
        defer { client.shutDown() }
        do {
            return Set(try await client.forget(reference))
        } catch let error as JobQueueError {
            let advice =
                "The running attachd could not be notified, and may still have the attachment in memory. Try again."
            StandardError.write("\(advice) \(error)")
            return []
        }
    }
}
