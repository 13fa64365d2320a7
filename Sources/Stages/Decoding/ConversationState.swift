import DecoderWire
import Media
import Values

/// What a decoder process may say next. Whatever it says out of turn ends the conversation.
struct ConversationState {
    enum Action: Equatable {
        /// Tell it once the bytes of this range are there; the next `ahead` bytes will be wanted too.
        case await(Range<Int>, ahead: Int)
        /// There is nothing to do: it said that it has the job, or asked for what a message on its way tells it.
        case nothing
        /// Pass on what the source is, and let the process go on once it can have so much memory.
        case describe(SourceReport, memoryBytes: Int)
        /// Check the output with this number, and publish it.
        case check(RungReport, output: Int)
        /// Check the preview in the output with this number, and pass it on.
        case checkPreview(byteCount: Int, output: Int)
        case finish
        case fail(AttachmentFailure)
    }

    /// What holds whatever a process says.
    struct Bounds: Sendable {
        var outputs: Int
        /// The most bytes of one output.
        var outputBytes: Int
        var limits: MediaLimits
        /// Whether another process has made a result before, so that this one may make none.
        var hasResults = false
    }

    private let bounds: Bounds
    /// The bytes that it knows of.
    private var told: ByteRanges
    private var toldSize: Int?
    private var hasHeardEnd: Bool
    /// Whether the job itself said so, so that no question can have crossed the answer.
    private let beganWithEnd: Bool
    /// Whether the process has the job, and so the source.
    private(set) var hasBegun = false
    private var isExpired = false
    private var needsBytes = false
    private var needsMemory = false
    private var isDescribed = false
    private var usedOutputs: Set<Int> = []

    init(source: SourceProgress, within bounds: Bounds) {
        told = source.present
        toldSize = source.size
        hasHeardEnd = source.isEnded
        beganWithEnd = source.isEnded
        self.bounds = bounds
    }

    /// What to do about `message`. After `finish` and `fail` there is nothing more to receive.
    mutating func receive(_ message: DecoderMessage) -> Action {
        switch message {
        case .ready: return Self.lie("It said twice that it is ready.")
        case .began:
            guard !hasBegun else { return Self.lie("It said twice that it has the job.") }
            hasBegun = true
            return .nothing
        case .need(let range, let ahead): return need(range, ahead)
        case .source(let report, let memoryBytes):
            guard !isDescribed else { return Self.lie("It described the source twice.") }
            guard !needsBytes || hasHeardEnd else { return Self.lie("It described what it has no bytes of.") }
            guard report.isPossible(within: bounds.limits), memoryBytes <= bounds.limits.memoryBytes else {
                return Self.lie("It described what the limits rule out.")
            }
            isDescribed = true
            needsMemory = true
            return .describe(report, memoryBytes: memoryBytes)
        case .rung(let report, let output):
            guard report.isPossible(within: bounds.limits) else {
                return Self.lie("It made what the limits rule out.")
            }
            return take(output, byteCount: report.byteCount) ?? .check(report, output: output)
        case .preview(let byteCount, let output):
            guard !usedOutputs.isEmpty else { return Self.lie("It showed what it has not made.") }
            return take(output, byteCount: byteCount) ?? .checkPreview(byteCount: byteCount, output: output)
        case .done:
            guard usedOutputs.isEmpty, !bounds.hasResults else { return .finish }
            return isExpired
                ? .fail(AttachmentFailure(.decode, .timedOut, "Time was up before there was any result."))
                : Self.lie("It was done without a result.")
        case .failed(let reason):
            guard Self.reasons.contains(reason) else { return Self.lie("It failed for a reason it cannot know.") }
            return .fail(AttachmentFailure(.decode, reason, Self.message(for: reason)))
        }
    }

    /// The process is told now that these bytes are there. Whether it still wants to know.
    mutating func tell(_ range: Range<Int>, size: Int?) -> Bool {
        guard needsBytes, !hasHeardEnd else { return false }
        needsBytes = false
        told.insert(range)
        toldSize = size
        return true
    }

    /// The process is told now that no more bytes will come. Whether that is news.
    ///
    /// One that waits for bytes is told by whoever answers it, for then it computes again.
    mutating func tellEnd(asAnswer: Bool = false) -> Bool {
        guard !hasHeardEnd, asAnswer || !needsBytes else { return false }
        hasHeardEnd = true
        return true
    }

    /// The process is told now that it can have the memory for its source.
    mutating func tellMemory() { needsMemory = false }

    mutating func tellExpiry() { isExpired = true }

    private mutating func need(_ range: Range<Int>, _ ahead: Int) -> Action {
        guard !needsMemory else { return Self.lie("It went on before it had the memory.") }
        guard !needsBytes, !beganWithEnd else { return Self.lie("It asked for bytes that it has, or twice.") }
        guard !range.isEmpty, SafeSize.sum(range.upperBound, ahead) != nil, range.lowerBound < toldSize ?? .max else {
            return Self.lie("It asked for bytes that no source has.")
        }
        needsBytes = true
        // The end may have been on its way when it asked; it will not ask again.
        if hasHeardEnd { return .nothing }
        return told.contains(range) ? Self.lie("It asked for bytes that it has.") : .await(range, ahead: ahead)
    }

    /// Takes an output as filled; what is wrong with it, if anything is.
    private mutating func take(_ output: Int, byteCount: Int) -> Action? {
        guard output < bounds.outputs, usedOutputs.insert(output).inserted else {
            return Self.lie("It filled an output that it doesn't have.")
        }
        guard byteCount > 0, byteCount <= bounds.outputBytes else {
            return Self.lie("It said that an output is larger than its file, or empty.")
        }
        return nil
    }

    static func lie(_ message: String) -> Action {
        .fail(AttachmentFailure(.decode, .decoderLied, "The decoder process broke its protocol. \(message)"))
    }

    /// Why a decoder may give up. What concerns the network or the store it cannot know.
    private static let reasons: Set<AttachmentFailure.Reason> = [
        .empty, .tooLarge, .truncated, .unrecognizedFormat, .unsupportedFormat, .corrupt, .tooManyPixels,
        .resourceLimit,
        .timedOut, .decoderUnavailable, .internalError,
    ]

    private static func message(for reason: AttachmentFailure.Reason) -> String {
        switch reason {
        case .empty: "The source has no bytes."
        case .tooLarge: "No result fits the byte limit."
        case .truncated: "The source is cut short before anything can be seen."
        case .unrecognizedFormat, .unsupportedFormat: "The source is of a format, or a kind of it, that is not decoded."
        case .corrupt: "The source is damaged: its decoder refused it."
        case .tooManyPixels: "The source has more pixels or frames than the limits allow."
        case .resourceLimit: "Decoding needs more memory than the limit allows."
        case .timedOut: "Time was up before there was any result."
        default: "The decoder process could not do its work."
        }
    }
}
