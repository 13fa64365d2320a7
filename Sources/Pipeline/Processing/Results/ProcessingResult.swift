package import Base
package import Media
package import Payloads

/// The result of one notification: the payload to send, its attachments, and the time of each stage.
package struct ProcessingResult: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// Every attachment reached its last useful rung.
        case complete
        /// At least one attachment, or the sender's fallback text, was delivered, but something was left out or came
        /// from an earlier rung.
        case degraded
        /// No attachment was delivered. The payload is unchanged.
        case original
    }

    /// The failure of one attachment, or of the payload.
    package struct Failure: Sendable {
        package var attachment: String?
        package var failure: AttachmentFailure
    }

    /// The duration of one stage.
    package struct Timing: Sendable {
        package var stage: String
        package var milliseconds: Int
    }

    /// The request that this is the result of.
    package let request: ProcessingRequest
    /// The host of each source, which messages may show; `nil` where there is none.
    package let sourceHosts: [String?]
    package let identifier: String
    package let outcome: Outcome
    /// The rewritten payload, or the original bytes.
    package let payload: [UInt8]
    package let payloadValue: JSONValue
    package let attachments: [DeliveredAttachment]
    package let failures: [Failure]
    /// The linter's findings on the payload as it goes on: a code, a colon, and the text.
    package let remarks: [String]
    /// The chosen dialect and profiles with the reasons, as lines for people.
    package var explanation: String { request.explanation }
    package let stages: StageDurations
    package let total: Duration
    package let deadline: Instant
    /// The time left until the deadline at delivery.
    package let margin: Duration

    /// The reason why the payload goes out as it came, although it has an attachment; `nil` if it was changed.
    /// `notPublished` means that there are files, and no URL at which a phone finds them.
    package var unchangedReason: String? {
        if !attachments.isEmpty, attachments.allSatisfy(\.stored.isLocal) {
            // It may have an inline picture.
            return payloadValue == request.notification.payload ? "notPublished" : nil
        }
        return outcome == .original ? failures.first?.failure.reason.rawValue : nil
    }

    /// The durations of the stages in order, and the total, in milliseconds.
    package var timings: [Timing] { Timing.all(stages, total: total) }
}

extension ProcessingResult.Timing {
    /// Returns the durations of the stages in order, and the total.
    static func all(_ stages: StageDurations, total: Duration) -> [Self] {
        Stopwatch.Stage.allCases.map { Self(stage: $0.rawValue, milliseconds: stages[$0].milliseconds) }
            + [Self(stage: "total", milliseconds: total.milliseconds)]
    }
}

// MARK: - From the delivered attachments

/// A notification's payload with its stored attachments in their places.
struct RewrittenNotification: Sendable {
    let payload: RewrittenPayload
    /// The delivered attachments by index; empty if the payload has no room for them.
    let attachments: [Int: DeliveredAttachment]
    let failures: [ProcessingResult.Failure]
    let outcome: ProcessingResult.Outcome

    /// The attachments to whose files the payload has links. The URLs of the others are still the sender's.
    var linked: Set<Int> { Set(attachments.filter { !$0.value.stored.isLocal }.keys) }

    init(_ request: ProcessingRequest, _ ready: [ReadyAttachment]) {
        let notification = request.notification
        var attachments: [Int: DeliveredAttachment] = [:]
        var failures: [ProcessingResult.Failure] = []
        for (index, (named, ready)) in zip(notification.attachments, ready).enumerated() {
            attachments[index] = request.delivered(ready, at: index)
            if let failure = ready.shortfall { failures.append(.init(attachment: named.identifier, failure: failure)) }
        }
        payload = PayloadWriter().write(notification, attachments: attachments)
        if let failure = payload.failure {
            attachments = [:]
            failures.append(.init(attachment: nil, failure: failure))
        }
        let isComplete = failures.isEmpty && ready.allSatisfy(\.isComplete)
        // A fallback text instead of the attachments changes the payload too.
        outcome =
            switch (payload.fit, isComplete && !attachments.isEmpty) {
            case (.original, _): .original
            case (_, true): .complete
            case (_, false): .degraded
            }
        self.attachments = attachments
        self.failures = failures
    }
}

extension ProcessingResult {
    init(
        _ request: ProcessingRequest,
        _ sources: [Source],
        _ rewritten: RewrittenNotification,
        _ remarks: [String],
        _ stopwatch: Stopwatch,
        deadline: Instant,
    ) {
        self.request = request
        sourceHosts = sources.map(\.host)
        identifier = request.notification.identifier
        outcome = rewritten.outcome
        payload = rewritten.payload.bytes
        payloadValue = rewritten.payload.payload
        attachments = rewritten.attachments.sorted { $0.key < $1.key }.map(\.value)
        failures = rewritten.failures
        self.remarks = remarks
        stages = stopwatch.durations
        let now = stopwatch.now
        total = now - stopwatch.start
        self.deadline = deadline
        margin = max(.zero, deadline - now)
    }
}

// MARK: - A single source

/// The result of a single source.
package struct SourceResult: Sendable {
    package let identifier: String
    package let outcome: ProcessingResult.Outcome
    /// The delivered attachment, or `nil` if the source became no file.
    package let attachment: DeliveredAttachment?
    package let failure: ProcessingResult.Failure?
    /// The thumbnail, a JPEG, if the request asked for one and the source has pictures.
    package let thumbnail: [UInt8]?
    package let timings: [ProcessingResult.Timing]
    /// The time left until the deadline at delivery.
    package let margin: Duration

    init(
        _ request: SourceRequest,
        _ ready: ReadyAttachment,
        _ stopwatch: Stopwatch,
        deadline: Instant,
    ) {
        identifier = request.identifier
        let name = RandomIdentifier.make()
        attachment = ready.delivered(as: name, from: request.url)
        failure = ready.shortfall.map { ProcessingResult.Failure(attachment: name, failure: $0) }
        outcome =
            switch (attachment != nil, failure == nil && ready.isComplete) {
            case (false, _): .original
            case (true, true): .complete
            case (true, false): .degraded
            }
        thumbnail = ready.thumbnail
        let now = stopwatch.now
        timings = ProcessingResult.Timing.all(stopwatch.durations, total: now - stopwatch.start)
        margin = max(.zero, deadline - now)
    }
}

// MARK: - JSON

extension ProcessingResult {
    /// The result as CONTRACT defines it: times in milliseconds, sizes in bytes, pixels after the orientation is
    /// applied.
    package var json: [UInt8] {
        let remarks = JSONValue.array(remarks.map { .string($0) })
        var members = JSONValue.members(
            identifier,
            outcome,
            attachments,
            failures,
            timings: timings,
            margin: margin,
        )
        if remarks != [] { members.append(.init("remarks", remarks)) }
        members.insert(.init("payload", payloadValue), at: 2)
        return JSONValue.object(members).compactBytes
    }
}

extension SourceResult {
    /// The members of the result's JSON: those of a notification's result, without a payload.
    package var members: [JSONValue.Member] {
        JSONValue.members(
            identifier,
            outcome,
            [attachment].compactMap(\.self),
            [failure].compactMap(\.self),
            timings: timings,
            margin: margin,
        )
    }
}

extension JSONValue {
    /// Returns the members that the results of notifications and of single sources have in common.
    fileprivate static func members(
        _ identifier: String,
        _ outcome: ProcessingResult.Outcome,
        _ attachments: [DeliveredAttachment],
        _ failures: [ProcessingResult.Failure],
        timings: [ProcessingResult.Timing],
        margin: Duration,
    ) -> [Member] {
        [
            .init("id", .string(identifier)),
            .init("outcome", .string(outcome.rawValue)),
            .init("attachments", .array(attachments.map(\.json))),
            .init("errors", .array(failures.map(\.json))),
            .init("timings", .object(timings.map { .init($0.stage, .integer($0.milliseconds)) })),
            .init("margin", .integer(margin.milliseconds)),
        ]
    }
}

extension DeliveredAttachment {
    var json: JSONValue {
        .object([
            .init("identifier", .string(identifier)),
            .init("url", .string(stored.url)),
            .init("type", .string(report.format.typeIdentifier)),
            .init("mime", .string(report.format.mimeType)),
            .init("bytes", .integer(report.byteCount)),
            .init("sha256", stored.sha256.map { .string($0) } ?? .null),
            .init("width", .optional(report.width)),
            .init("height", .optional(report.height)),
            .init("duration", .optional(report.durationMilliseconds)),
            .init("frames", .optional(report.frames)),
            .init("rung", .string(report.rung.rawValue)),
            .init("source", sourceJSON),
        ])
    }

    private var sourceJSON: JSONValue {
        .object([
            .init("url", .string(sourceURL)),
            .init("mime", source.format.map { .string($0.mimeType) } ?? .null),
            .init("bytes", .optional(source.byteCount)),
            .init("fetched", .integer(source.fetched)),
            .init("width", .optional(source.report?.width)),
            .init("height", .optional(source.report?.height)),
            .init("duration", .optional(source.report?.durationMilliseconds)),
        ])
    }
}

extension ProcessingResult.Failure {
    var json: JSONValue { failure.json(attachment: attachment) }
}

extension AttachmentFailure {
    /// Returns the failure as an element of a result's `errors`.
    package func json(attachment: String? = nil) -> JSONValue {
        .object([
            .init("code", .optional(code?.rawValue)),
            .init("name", .string(code?.name ?? reason.rawValue)),
            .init("reason", .string(reason.rawValue)),
            .init("attachment", attachment.map { .string($0) } ?? .null),
            .init("message", .string(message)),
        ])
    }
}

extension JSONValue {
    static func optional(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
}
