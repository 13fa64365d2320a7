import Base
import Jobs
import Logging
import Media
import Payloads
import Processing
import ServiceLifecycle
import Synchronization

/// The formats and codecs that are switched off for the whole fleet. Every process of the fleet reads the list at
/// intervals. Without a fleet, the list holds for this process only.
///
/// The list has no lifetime. If the fleet's server loses it, a process that knows it writes it again, so that nothing is
/// switched on by an accident.
final class FleetFormats: Service {
    private let formats: FormatSwitch
    private let entry: FleetEntry
    private let logger: Logger
    private let isLost = Mutex<Bool>(false)
    private let asked = Mutex<Bool>(false)

    /// The most bytes of a list that is read: all names are fewer.
    private static let byteLimit = 4096

    init(_ formats: FormatSwitch, _ store: (any FleetStore)?, time: any TimeSource = SystemTime(), logger: Logger) {
        self.formats = formats
        entry = FleetEntry(name: "formats", store: store, time: time)
        self.logger = logger
    }

    func run() async throws { try await entry.watch { [self] in await read() } }

    /// A Boolean value that indicates whether a reading has ended, with or without an answer.
    var wasAsked: Bool { asked.withLock(\.self) }

    /// Reads the fleet's list. Without an answer, the list that was read before stays in use.
    func read() async {
        defer { asked.withLock { $0 = true } }
        guard entry.store != nil else { return }
        let replacements = formats.fleetReplacements
        do {
            guard let value = try await entry.read() else { return try await restore() }
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
        try await entry.write(Self.value(of: disabled))
        formats.replace(fleet: disabled)
    }

    /// Writes the list again that this process knows, unless another one was written meanwhile.
    private func restore() async throws {
        let known = formats.lists.fleet
        guard !known.isEmpty else { return }
        try await entry.write(Self.value(of: known), onlyIfMissing: true)
        logger.warning(
            "The queue's Redis lost the fleet's list of formats. It was written again.",
            metadata: ["disabled": "\(known.names.joined(separator: ", "))"]
        )
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
