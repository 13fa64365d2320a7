import Base
import Jobs
import JobsRedis
import Logging
import Media
import Payloads
import Processing
import ServiceLifecycle
import Synchronization

/// The formats and codecs that are switched off for the whole fleet, in the queue's Redis. Every process of the fleet reads
/// the list at intervals. Without Redis, the list holds for this process only.
///
/// The list has no lifetime. If Redis loses it, a process that knows it writes it again, so that nothing is switched on by
/// an accident.
final class FleetFormats: Service {
    private let formats: FormatSwitch
    private let redis: RedisJobQueue?
    private let time: any TimeSource
    private let logger: Logger
    private let isLost = Mutex<Bool>(false)
    private let asked = Mutex<Bool>(false)

    /// The time between two readings.
    static let interval: Duration = .seconds(5)
    /// The time limit of a question to Redis.
    private static let timeLimit: Duration = .seconds(2)
    private static let entry = "formats"
    /// The most bytes of a list that is read: all names are fewer.
    private static let byteLimit = 4096

    init(_ formats: FormatSwitch, _ redis: RedisJobQueue?, time: any TimeSource = SystemTime(), logger: Logger) {
        self.formats = formats
        self.redis = redis
        self.time = time
        self.logger = logger
    }

    func run() async throws {
        guard redis != nil else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown { [self] in
            while (try? await time.sleep(for: Self.interval)) != nil { await read() }
        }
    }

    /// A Boolean value that indicates whether a reading has ended, with or without an answer.
    var wasAsked: Bool { asked.withLock(\.self) }

    /// Reads the fleet's list. If Redis does not answer, the list that was read before goes on to hold.
    func read() async {
        defer { asked.withLock { $0 = true } }
        guard let redis else { return }
        let replacements = formats.fleetReplacements
        do {
            guard let value = try await answer({ try await redis.entry(Self.entry) }) else {
                return try await restore(redis)
            }
            guard let disabled = Self.disabled(in: value) else {
                return warn("The fleet's list of formats is not valid. The previous one stays in use.")
            }
            formats.replace(fleet: disabled, readSince: replacements)
            isLost.withLock { $0 = false }
        } catch {
            warn("The fleet's list of formats cannot be read. The previous one stays in use.", "\(error)")
        }
    }

    /// Replaces the fleet's list, and with it what is off in this process.
    func replace(with disabled: DisabledFormats) async throws {
        if let redis {
            let value = Self.value(of: disabled)
            _ = try await answer { try await redis.keep(value, as: Self.entry) }
        }
        formats.replace(fleet: disabled)
    }

    /// Writes the list again that this process knows, unless another one was written meanwhile.
    private func restore(_ redis: RedisJobQueue) async throws {
        let known = formats.lists.fleet
        guard !known.isEmpty else { return }
        let value = Self.value(of: known)
        _ = try await answer { try await redis.keep(value, as: Self.entry, onlyIfMissing: true) }
        logger.warning(
            "The queue's Redis lost the fleet's list of formats. It was written again.",
            metadata: ["disabled": "\(known.names.joined(separator: ", "))"]
        )
    }

    private func answer<Value: Sendable>(_ question: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let late = JobQueueError(.unavailable, "Redis did not answer in time")
        return try await time.answer(by: time.now + Self.timeLimit, orThrow: late, question)
    }

    /// Logs a problem once, until a reading succeeds.
    private func warn(_ message: Logger.Message, _ reason: String = "") {
        let isNew = isLost.withLock { isLost in
            defer { isLost = true }
            return !isLost
        }
        if isNew { logger.warning(message, metadata: reason.isEmpty ? nil : ["reason": "\(reason)"]) }
    }

    /// Reads a list. Names that only another version knows are left out.
    private static func disabled(in value: [UInt8]) -> DisabledFormats? {
        guard value.count <= byteLimit, let json = try? JSONValue(parsing: value),
            case .array(let names)? = json["disabled"]
        else { return nil }
        return DisabledFormats.reading(names.compactMap(\.text)).disabled
    }

    private static func value(of disabled: DisabledFormats) -> [UInt8] {
        JSONValue.object([.init("disabled", .array(disabled.names.map { .string($0) }))]).compactBytes
    }
}
