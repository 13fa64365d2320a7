import App
import ArgumentParser
import Files
import Jobs
import Logging
import Media
import Settings
import Storage

struct ForgetCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Takes an attachment back: its file, cache entries, links and bucket object.",
        discussion: """
            Prints the names of the files that were taken back. Requests for them are then answered with 410. With a queue on \
            Redis, it holds for all workers of the queue; otherwise for the store, and for a running attachd with the same \
            store at --listen. The settings must be those of the workers.
            """,
    )

    @Argument(help: "The URL of the source, or the name or the URL of the ready file.") var reference: String
    @OptionGroup var server: ServerOptions
    @OptionGroup var queue: QueueOptions
    @OptionGroup var common: CommonOptions

    func perform() async throws {
        guard let reference = AttachmentReference(reference) else {
            throw CommandError(.usage, "\"\(reference)\" is neither a URL nor the name of a ready file.")
        }
        let settings = try common.settings(server.options, queue.options)
        guard settings.queue.isShared else { return try await forget(reference, settings) }
        // A queue that many processes share needs no closing: none holds it.
        try await forget(reference, settings, try await settings.openQueue().fleet)
    }

    private func forget(_ reference: AttachmentReference, _ settings: Settings, _ fleet: (any FleetStore)? = nil)
        async throws
    {
        // Notify the running process first: it must not store an attachment in progress after this process has looked.
        let (named, failure) = fleet == nil ? try await namesForgotten(by: reference, settings) : ([], nil)
        let forgotten: ForgottenAttachments
        do {
            let forgetting = try await waitingForDisk { try Forgetting(settings, fleet) }
            defer { forgetting.shutDown() }
            forgotten = try await forgetting.forget(reference)
        } catch let error as FileError {
            throw CommandError(.cannotWrite, error.description)
        } catch let error as AttachmentFailure {
            throw CommandError(.failure, "The attachment was taken back here, but not everywhere. \(error.message)")
        }
        for name in named.union(forgotten.files.map(\.description)).sorted() { print(name) }
        if let failure {
            let advice =
                "The running attachd could not be notified, and may still have the attachment in memory. Try again."
            throw CommandError(.failure, "\(advice) \(failure)")
        }
        guard forgotten.isKnown || !named.isEmpty else {
            throw CommandError(
                .inputNotFound,
                "No ready file from that source is known. It is taken back all the same."
            )
        }
    }

    /// Returns the names that a running attachd took back, or its error. Returns an empty set if no process is running.
    private func namesForgotten(by reference: AttachmentReference, _ settings: Settings) async throws
        -> (names: Set<String>, failure: JobQueueError?)
    {
        guard AttachmentStore.isInUse(at: settings.store) else { return ([], nil) }
        let client = try SidecarClient(settings)
        defer { client.shutDown() }
        do {
            return (Set(try await client.forget(reference)), nil)
        } catch let error as JobQueueError {
            return ([], error)
        }
    }
}
