import Base
import DecoderWire
import Media

/// The state of the protocol: the messages that a decoder process may send next. Any other message ends the
/// conversation.
struct ConversationState {
    enum Action: Equatable {
        /// Tell the process once the bytes of this range are there. It will want the next `ahead` bytes too.
        case await(Range<Int>, ahead: Int)
        /// Do nothing: the process has confirmed the job, or asked for something that a message on its way answers.
        case nothing
        /// Pass on the description of the source, and let the process go on once it can have `memoryBytes`.
        case describe(SourceReport, memoryBytes: Int)
        /// Check the output with this number, and emit it.
        case check(RungReport, output: Int)
        /// Check the thumbnail in the output with this number, and pass it on.
        case checkThumbnail(byteCount: Int, output: Int)
        case finish
        case fail(AttachmentFailure)
        /// End the process, if it doesn't end by itself: it has tried this system call.
        case endForbidden(call: Int)
    }

    /// The bounds that hold whatever a process sends.
    struct Bounds: Sendable {
        var outputs: Int
        /// The most bytes of one output.
        var outputBytes: Int
        var limits: MediaLimits
        /// A Boolean value that indicates whether an earlier process has made a result, so that this one may make none.
        var hasResults = false
        /// A Boolean value that indicates whether any format or codec is switched off, so that a process may refuse one.
        var hasDisabled = false
    }

    private let bounds: Bounds
    /// The bytes that the process knows of.
    private var announced: ByteRanges
    private var announcedSize: Int?
    private var hasHeardEnd: Bool
    /// A Boolean value that indicates whether the job itself declared the end, so that no question can have crossed
    /// that message.
    private let beganWithEnd: Bool
    /// A Boolean value that indicates whether the process has the job, and so the source.
    private(set) var hasBegun = false
    private var isExpired = false
    private var needsBytes = false
    private var needsMemory = false
    private var isDescribed = false
    private var usedOutputs: Set<Int> = []

    init(source: SourceProgress, within bounds: Bounds) {
        announced = source.present
        announcedSize = source.size
        hasHeardEnd = source.isEnded
        beganWithEnd = source.isEnded
        self.bounds = bounds
    }

    /// Returns the action that `message` calls for. After `finish` and `fail` no message is received.
    mutating func receive(_ message: DecoderMessage) -> Action {
        switch message {
        case .ready: return Self.lie("It reported twice that it is ready.")
        case .began:
            guard !hasBegun else { return Self.lie("It confirmed the job twice.") }
            hasBegun = true
            return .nothing
        case .need(let range, let ahead): return need(range, ahead)
        case .source(let report, let memoryBytes):
            guard !isDescribed else { return Self.lie("It described the source twice.") }
            guard !needsBytes || hasHeardEnd else { return Self.lie("It described a source before it had the bytes.") }
            guard report.isPossible(within: bounds.limits), memoryBytes <= bounds.limits.memoryBytes else {
                return Self.lie("It described a source beyond the limits.")
            }
            isDescribed = true
            needsMemory = true
            return .describe(report, memoryBytes: memoryBytes)
        case .rung(let report, let output):
            guard report.isPossible(within: bounds.limits) else {
                return Self.lie("It reported an output beyond the limits.")
            }
            guard report.rung.isPossible(as: report.format.kind) else {
                return Self.lie("It reported an output in a format that its rung cannot have.")
            }
            return take(output, byteCount: report.byteCount) ?? .check(report, output: output)
        case .thumbnail(let byteCount, let output):
            guard !usedOutputs.isEmpty else { return Self.lie("It reported a thumbnail before any output.") }
            return take(output, byteCount: byteCount) ?? .checkThumbnail(byteCount: byteCount, output: output)
        case .done:
            guard usedOutputs.isEmpty, !bounds.hasResults else { return .finish }
            return isExpired
                ? .fail(AttachmentFailure(.decode, .timedOut, "Time ran out before there was a result."))
                : Self.lie("It finished without a result.")
        case .failed(let reason, let cause):
            guard Self.reasons.contains(reason), reason != .disabled || bounds.hasDisabled else {
                return Self.lie("It gave a reason that it cannot know.")
            }
            let message = cause.map(Self.message(for:)) ?? Self.message(for: reason)
            return .fail(AttachmentFailure(.decode, reason, message))
        case .triedForbiddenCall(let number): return .endForbidden(call: number)
        }
    }

    /// Records that the process is told of these bytes now. Returns whether it still wants to know.
    mutating func recordBytes(_ range: Range<Int>, size: Int?) -> Bool {
        guard needsBytes, !hasHeardEnd else { return false }
        needsBytes = false
        announced.insert(range)
        announcedSize = size
        return true
    }

    /// Records that the process is told now that no more bytes will come. Returns whether that is news.
    ///
    /// A process that waits for bytes is told by the code that answers it, because it computes again then.
    mutating func recordEnd(asAnswer: Bool = false) -> Bool {
        guard !hasHeardEnd, asAnswer || !needsBytes else { return false }
        hasHeardEnd = true
        return true
    }

    /// Records that the process is told now that it has the memory for its source.
    mutating func recordMemory() { needsMemory = false }

    mutating func recordWarning() { isExpired = true }

    private mutating func need(_ range: Range<Int>, _ ahead: Int) -> Action {
        guard !needsMemory else { return Self.lie("It went on before it was granted the memory.") }
        guard !needsBytes, !beganWithEnd else { return Self.lie("It asked for bytes that it has, or asked twice.") }
        guard !range.isEmpty, SafeSize.sum(range.upperBound, ahead) != nil, range.lowerBound < announcedSize ?? .max
        else {
            return Self.lie("It asked for bytes beyond the end of the source.")
        }
        needsBytes = true
        // The end may have been on its way when the process asked. It will not ask again.
        if hasHeardEnd { return .nothing }
        return announced.contains(range) ? Self.lie("It asked for bytes that it has.") : .await(range, ahead: ahead)
    }

    /// Takes an output as filled. Returns the error, or `nil` if the output is in order.
    private mutating func take(_ output: Int, byteCount: Int) -> Action? {
        guard output < bounds.outputs, usedOutputs.insert(output).inserted else {
            return Self.lie("It filled an output that it does not have.")
        }
        guard byteCount > 0, byteCount <= bounds.outputBytes else {
            return Self.lie("It reported an output that is empty or larger than its file.")
        }
        return nil
    }

    static func lie(_ message: String) -> Action {
        .fail(AttachmentFailure(.decode, .decoderLied, "The decoder process broke its protocol. \(message)"))
    }

    /// The reasons for which a decoder may give up. It cannot know about the network or the store.
    private static let reasons: Set<AttachmentFailure.Reason> = [
        .empty, .tooLarge, .truncated, .unrecognizedFormat, .unsupportedFormat, .disabled, .corrupt,
        .tooManyPixels, .resourceLimit,
        .timedOut, .decoderUnavailable, .internalError,
    ]

    private static func message(for cause: FailureCause) -> String {
        switch cause {
        case .encryption: "The source is encrypted and cannot be decoded. Send a file without copy protection."
        case .silentProfile: "The profile delivers no sound. Choose one that does, such as apns, or send a picture."
        case .videoCodec: "The codec of the video is not decoded. Send H.264, HEVC, VP8, VP9 or AV1."
        case .colors: "The colors of the source are coded in a way that is not decoded, and would be wrong. Send sRGB."
        case .dolbyVision:
            "The video has colors that only decoders of Dolby Vision know (profile 5). Send profile 8.4, HLG, or SDR."
        case .xcode: "The PNG is in the variant that Xcode makes for apps (CgBI). Send the original file."
        case .cameraRaw: "The source is raw data of a camera without a JPEG in it. Send a JPEG or HEIC."
        }
    }

    private static func message(for reason: AttachmentFailure.Reason) -> String {
        switch reason {
        case .empty: "The source has no bytes."
        case .tooLarge: "No result fits into the byte limit."
        case .truncated: "The source is cut short before anything can be seen."
        case .unrecognizedFormat, .unsupportedFormat:
            "The source has a format, or a variant of one, that attachd does not decode."
        case .disabled:
            "The source has a format or codec that is switched off here. The operator can switch it on: formats.disabled."
        case .corrupt: "The source is damaged and cannot be decoded."
        case .tooManyPixels: "The source has more pixels or frames than the limits allow."
        case .resourceLimit: "Decoding needs more memory than the limit allows."
        case .timedOut: "Time ran out before there was a result."
        default: "The decoder process could not work. Check the worker with attachd doctor."
        }
    }
}

// MARK: - Bounds

// SECURITY S6: sizes, counts and times from a decoder process are checked against the limits on arrival, before any
// arithmetic. A report beyond them is a lie: our decoder rejects such sources itself.

extension SourceReport {
    /// Returns whether a source within `limits` can have this description.
    func isPossible(within limits: MediaLimits) -> Bool {
        // Each frame takes at least a byte of the source.
        isSizePossible(width, height, within: limits, pixels: max(limits.framePixels, limits.reducedPixels))
            && (frames ?? 0) <= limits.sourceBytes
            && isTimePossible(durationMilliseconds)
    }
}

extension RungReport {
    /// Returns whether a source within `limits` can have this result.
    func isPossible(within limits: MediaLimits) -> Bool {
        isSizePossible(width, height, within: limits, pixels: limits.framePixels)
            && (frames ?? 0) <= (format.kind == .image ? limits.frames : limits.sourceBytes)
            && isTimePossible(durationMilliseconds) && account?.isPossible(within: limits) ?? true
    }
}

extension ClipAccount {
    /// Returns whether a source within `limits` can have this content.
    fileprivate func isPossible(within limits: MediaLimits) -> Bool {
        isTimePossible(declaredMilliseconds)
            && [video, sound].compactMap(\.self).allSatisfy { stream in
                stream.packets <= limits.sourceBytes && isTimePossible(stream.packetMilliseconds)
                    && isTimePossible(stream.stepMilliseconds)
            }
    }
}

/// Returns whether the size is possible. Sound has none; a picture has both numbers.
private func isSizePossible(_ width: Int?, _ height: Int?, within limits: MediaLimits, pixels: Int) -> Bool {
    guard let width, let height else { return width == nil && height == nil }
    guard width > 0, height > 0, width <= limits.side, height <= limits.side else { return false }
    return SafeSize.product(width, height).map { $0 <= pixels } ?? false
}

private func isTimePossible(_ milliseconds: Int?) -> Bool {
    milliseconds.map { $0 >= 0 && $0 <= MediaLimits.longestDuration.milliseconds } ?? true
}
