import Dispatch
import Logging
import Media
import ServiceLifecycle
import Storage
import Synchronization
import Timing
import UnixSignals

/// Reads files of tokens and keys anew when they change, and on SIGHUP.
///
/// A file that can't be used keeps what was read before. Files are looked at on a thread of its own, so that a file system that
/// hangs holds up nothing else.
final class SecretReloader: Service {
    /// A file, and what uses its content.
    struct Source: Sendable {
        /// The file's purpose, for the log.
        var name: String
        var file: SecretFile
        /// Puts the file's content in place, and returns whether it is new; throws if it can't be used.
        var apply: @Sendable (SecretFile) throws -> Bool
    }

    /// The time from one look at the files to the next.
    static let interval = Duration.seconds(2)

    private let sources: [Source]
    private let time: any TimeSource
    private let logger: Logger
    private let seen: Mutex<[SecretFile.Version?]>
    private let thread = DispatchQueue(label: "attachd.secrets")

    init(_ sources: [Source], time: any TimeSource, logger: Logger) {
        self.sources = sources
        self.time = time
        self.logger = logger
        // Read once more soon after the start: a file may have changed since its first reading.
        seen = Mutex(sources.map { _ in nil })
    }

    func run() async throws {
        guard !sources.isEmpty else { return try await gracefulShutdown() }
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in hangups { await self.read(changedOnly: false) } }
                group.addTask {
                    while (try? await self.time.sleep(until: self.time.now + Self.interval)) != nil {
                        await self.read(changedOnly: true)
                    }
                }
            }
        }
    }

    /// Reads the files, or those that changed since they were read last.
    func read(changedOnly: Bool) async {
        await thread.perform { [self] in
            for (index, source) in sources.enumerated() {
                let version = source.file.version
                let isNew = seen.withLock { seen in
                    defer { seen[index] = version }
                    return seen[index] != version
                }
                if isNew || !changedOnly { read(source, isAsked: !changedOnly) }
            }
        }
    }

    private func read(_ source: Source, isAsked: Bool) {
        do {
            guard try source.apply(source.file) || isAsked else { return }
            logger.notice("A file of secrets was read anew.", metadata: ["file": "\(source.name)"])
        } catch {
            logger.warning(
                "A file of secrets cannot be used; what was read before stays.",
                metadata: ["file": "\(source.name)", "reason": "\(error)"],
            )
        }
    }
}
