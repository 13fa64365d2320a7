import Base
import Files
import Logging
import Media
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A service that reads token and key files again when they change, and on SIGHUP, and the configuration file for the
/// settings that may change while attachd runs.
///
/// If a file is not valid, the previous content stays in use. The files are checked on a separate thread, so that a
/// file system that hangs blocks nothing else.
final class SecretReloader: Service {
    /// A file, and the function that applies its content.
    struct Source: Sendable {
        /// The file's purpose, for the log.
        var name: String
        var file: SecretFile
        /// Applies the file's content. Returns `true` if the content is new, and throws if it is not valid.
        var apply: @Sendable (SecretFile) throws -> Bool
    }

    /// The time between two checks of the files.
    static let interval = Duration.seconds(2)

    private let sources: [Source]
    private let time: any TimeSource
    private let logger: Logger
    private let seen: Mutex<[FileVersion?]>
    private let thread = WorkThreads("secrets", limit: 1)

    init(_ sources: [Source], time: any TimeSource, logger: Logger) {
        self.sources = sources
        self.time = time
        self.logger = logger
        // Forces another reading soon after the start: a file may have changed since it was first read.
        seen = Mutex(sources.map { _ in nil })
    }

    func run() async throws {
        guard !sources.isEmpty else { return try await gracefulShutdown() }
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in hangups { await self.read(changedOnly: false) } }
                group.addTask {
                    while (try? await self.time.sleep(for: Self.interval)) != nil {
                        await self.read(changedOnly: true)
                    }
                }
            }
        }
    }

    /// Reads all files, or only those that changed since the last reading.
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
            logger.notice("A file of settings or secrets was read again.", metadata: ["file": "\(source.name)"])
        } catch {
            logger.warning(
                "A file of settings or secrets is not valid. The previous content stays in use.",
                metadata: ["file": "\(source.name)", "reason": "\(error)"],
            )
        }
    }
}
