import Base
import Media
import Payloads

/// The parts of one attachment that are ready so far.
struct ReadyAttachment: Sendable {
    /// A complete output, in the work that made it.
    struct Output: Sendable {
        let number: Int
        let report: RungReport
    }

    /// The best output that is complete.
    var output: Output?
    /// The attachment's file in the store, or `nil` if it is not stored yet.
    var stored: StoredFile?
    /// A small picture of the output, a JPEG, if the caller asked for one.
    var thumbnail: [UInt8]?
    /// The facts known about the source.
    var source = SourceFacts()
    /// The reason why the output is not better.
    var failure: AttachmentFailure?
    /// A Boolean value that indicates whether `rung` is the last useful rung of a whole source.
    var isComplete = false
    /// A Boolean value that indicates whether the work on it was cut back for lack of time.
    var isHurried = true
    /// The head of the origin's latest answer.
    var head: SourceHead?
    /// The time at which the last needed bytes of the source arrived; `nil` until then.
    var downloaded: Instant?
    /// The time at which the first decoder process began; `nil` until then.
    var decoding: Instant?

    /// The reason why it is not complete, also where nothing failed; `nil` if it is complete.
    var shortfall: AttachmentFailure? {
        if let failure { return failure }
        return switch output?.report.rung {
        case _ where isComplete: nil
        case .partial? where !isHurried: Self.cut
        case .firstFrame? where !isHurried, .shortened? where !isHurried, .copied? where !isHurried: overBudget
        case nil: AttachmentFailure(.decode, .timedOut, "The attachment was not ready in time.")
        case .some: Self.hurried
        }
    }

    // MARK: - Reasons

    private static let cut = AttachmentFailure(
        .decode,
        .truncated,
        "The source ends early or is damaged, so only its first part was delivered.",
    )
    private var overBudget: AttachmentFailure {
        let (whole, made) = (source.report, output?.report)
        let extents = [
            Self.extent(frames: whole?.frames, milliseconds: whole?.durationMilliseconds),
            Self.extent(frames: made?.frames, milliseconds: made?.durationMilliseconds),
        ].compactMap(\.self)
        let change = extents.count < 2 ? "" : ": \(extents[0]) became \(extents[1])"
        let text = "No complete result fits into the profile's byte budget and the limit of frames\(change)."
        return AttachmentFailure(.decode, .tooLarge, text)
    }

    /// Returns the number of frames and the time in words; `nil` if neither is known.
    private static func extent(frames: Int?, milliseconds: Int?) -> String? {
        let count = frames.map { "\($0) frame\($0 == 1 ? "" : "s")" }
        let time = milliseconds.map { "\($0 / 1000).\($0 % 1000 / 100) s" }
        return count.map { [$0, time].compactMap(\.self).joined(separator: " in ") } ?? time
    }

    private static let hurried = AttachmentFailure(
        .decode,
        .timedOut,
        "There was too little time for the best version, so an earlier one was delivered.",
    )

    /// Returns the delivered attachment, or `nil` if it is not stored.
    func delivered(as identifier: String, from url: String) -> DeliveredAttachment? {
        guard let stored, let output else { return nil }
        return DeliveredAttachment(identifier, in: stored, output.report, from: url, source)
    }
}

// MARK: - Its changes

extension ReadyAttachment {
    /// Applies an event of the steps. What it changes stands here and nowhere else.
    mutating func apply(_ event: ProgressEvent, _ outputs: inout SharedOutputs) {
        switch event {
        case .head(let head):
            self.head = head
            failure = nil
        case .missing(let failure): self.failure = failure
        case .recognized(let format): source.format = format
        case .described(let report): source.report = report
        case .fetched(let contents):
            source.fetched = contents.present.count
            source.byteCount = contents.size
        case .output(let output): replace(by: output, &outputs)
        case .earlyOutput(let early):
            if output.map({ $0.report.rung.rank < early.report.rung.rank }) ?? true { replace(by: early, &outputs) }
        case .thumbnail(let bytes): thumbnail = bytes
        case .converted(let request, let isHurried):
            isComplete = output.map { request.isLast($0.report) } ?? false
            self.isHurried = isHurried
        case .downloaded(let instant): downloaded = instant
        case .decoding(let instant): decoding = decoding ?? instant
        case .failed(let failure): self.failure = self.failure ?? failure
        }
    }

    /// Takes a better output. A clip has the tiny picture of its poster.
    private mutating func replace(by rung: ReadyRung, _ outputs: inout SharedOutputs) {
        var rung = rung
        rung.report.inline = rung.report.inline ?? output?.report.inline
        output = outputs.add(rung)
    }

    /// Takes what was made before, for the same version of the source.
    mutating func reuse(_ earlier: ReadyAttachment) {
        let (head, downloaded, decoding) = (head, downloaded, decoding)
        self = earlier
        (self.head, self.downloaded, self.decoding) = (head, downloaded, decoding)
    }

    /// Returns this attachment, with the output of the `best` attempt so far unless its own is as good.
    func keeping(_ best: ReadyAttachment?) -> Self {
        guard let best, let output = best.output, !isComplete else { return self }
        if let newer = self.output, newer.report.rung.rank >= output.report.rung.rank { return self }
        var attachment = self
        attachment.output = output
        if source.format == nil { attachment.source = best.source }
        return attachment
    }

    /// A Boolean value that indicates whether the origin answered that the source has not changed.
    var isUnchanged: Bool { head?.status == 304 }
}
