package import Base
import FoundationEssentials
import Media
package import Payloads

/// A source to make ready ahead of time: an element of the body of `POST /v1/prepare`.
///
/// `{"source", "profile"?, "until"?}`, where `until` is a time (RFC 3339) or a duration from now, such as `6h`.
package struct PrepareRequest: Sendable, Equatable {
    package var source: String
    package var profile: String?
    package var until: UnixTime?

    private static let keys: Set = ["source", "profile", "until"]
    private static let form = "{\"source\": \"https://…\", \"profile\": \"apns\", \"until\": \"2026-12-01T18:00:00Z\"}"

    package init(source: String, profile: String? = nil, until: UnixTime? = nil) {
        self.source = source
        self.profile = profile
        self.until = until
    }

    /// Reads an element of the body. `now` is what a duration counts from.
    package init(_ value: JSONValue, now: UnixTime) throws(RequestError) {
        guard value.isObject, let source = value["source"]?.text, !source.isEmpty else {
            throw .envelope("A source to prepare is an object such as \(Self.form).")
        }
        let members = try RequestMembers(of: value, keys: Self.keys, in: "A source to prepare")
        self.source = source
        profile = try members.member("profile", "is the name of a profile, such as \"apns\".") { $0.text }
        let rule = "is a text: a time such as \"2026-12-01T18:00:00Z\", or \"6h\"."
        guard let text = try members.member("until", rule, { $0.text }) else { return }
        guard let time = RFC3339Time(text)?.time ?? DurationText.parse(text).map({ now + $0 }), time > now else {
            throw .envelope(
                "\"until\" is a time in the future such as \"2026-12-01T18:00:00Z\", or a duration such as \"6h\"."
            )
        }
        until = time
    }
}

/// A source to make ready ahead of time whose options were checked.
package struct Preparation: Sendable {
    let request: PrepareRequest
    /// The profile of the notifications that will use it.
    let profile: Profile
    /// The time until which it is held.
    let until: UnixTime
}

/// The answer for a source of `POST /v1/prepare`.
package struct PreparedResult: Sendable {
    package let request: PrepareRequest
    /// The name of the profile.
    package let profile: String
    /// The finished file; `nil` if attachd could not make one.
    package let attachment: DeliveredAttachment?
    package let failure: ProcessingResult.Failure?
    /// The time until which notifications use the file; `nil` if it is not held.
    package let until: UnixTime?
    /// The reason why the file is not held, or is held on this worker only.
    package let remark: String?

    /// A Boolean value that indicates whether notifications until then need no download.
    package var isReady: Bool { until != nil }

    init(_ request: PrepareRequest, _ profile: Profile, _ result: SourceResult, until: UnixTime?, _ remark: String?) {
        self.request = request
        self.profile = profile.name
        attachment = result.attachment
        failure = result.failure
        self.until = until
        self.remark = remark
    }

    package var json: JSONValue {
        .object([
            .init("source", .string(request.source)),
            .init("profile", .string(profile)),
            .init("ready", .bool(isReady)),
            .init("until", until.map { .string(RFC3339Time($0).description) } ?? .null),
            .init("attachment", attachment?.json ?? .null),
            .init("error", failure?.json ?? .null),
            .init("remark", remark.map { .string($0) } ?? .null),
        ])
    }
}

// MARK: - The preparation

extension AttachmentPipeline {
    /// Makes a source ready ahead of time, and keeps it until then, for this worker and for the fleet. Always answers once, before `deadline`.
    func prepare(_ preparation: Preparation, deadline: Instant) async -> PreparedResult {
        let (request, profile, until) = (preparation.request, preparation.profile, preparation.until)
        let moment = forgotten.moment
        let source = SourceRequest(url: request.source, profile: profile, accepted: time.now)
        var wanted = source.wantedAttachment(by: resolver)
        wanted.isPreparation = true
        var (result, attachment) = await process(source, wanted, deadline: deadline)
        // A file that was published long ago may be gone before then, so it is published again.
        if let made = result.attachment, let end = steps.store.end(of: made.stored), end < until {
            steps.store.release(made.stored)
            let made = wanted.key
            cache.forget { $0 == made }
            (result, attachment) = await process(source, wanted, deadline: deadline)
        }
        func answer(until: UnixTime?, _ remark: String?) -> PreparedResult {
            PreparedResult(request, profile, result, until: until, remark)
        }
        guard attachment.head?.freshness.isShareable ?? true else { return answer(until: nil, Self.isPrivate) }
        guard result.outcome == .complete, let made = result.attachment, let key = wanted.prepared else {
            return answer(until: nil, result.failure == nil ? Self.isPoor : nil)
        }
        let end = min(until, steps.store.end(of: made.stored) ?? until)
        let prepared = PreparedAttachment(stored: made.stored, report: made.report, source: made.source, until: end)
        cache.hold(prepared, for: key)
        let timeout = max(.zero, min(Self.indexTimeout, deadline - time.now))
        let isShared =
            if let index, let name = PreparedName(key) {
                await index.add(prepared, as: name, within: timeout)
            } else { index == nil }
        guard !isForgotten(wanted.key.source, since: moment) else {
            _ = await forget(source: request.source)
            return answer(until: nil, Self.isForgotten)
        }
        return answer(until: end, isShared ? nil : Self.isUnshared)
    }

    /// The time limit for an entry in the fleet's index, before a campaign.
    private static let indexTimeout: Duration = .seconds(5)
    private static let isPrivate =
        "The origin does not allow shared use (Cache-Control: private or no-store, or Vary: *), so attachd does not hold the file."
    private static let isPoor =
        "There was too little time for the best version, so attachd does not hold the file. Send fewer sources at once, or allow more time."
    private static let isForgotten = "The source was taken back in the meantime, so attachd does not hold the file."
    private static let isUnshared =
        "The queue's Redis did not store the entry, so other workers do not know the file. Prepare the source again later."
}

// MARK: - Times

/// A time as text (RFC 3339), such as `2026-12-01T18:00:00Z`, with whole seconds.
package struct RFC3339Time: Sendable, CustomStringConvertible {
    package let time: UnixTime

    /// The last second of the year 9999, after which the form has no years.
    private static let last = 253_402_300_799

    package init(_ time: UnixTime) { self.time = time }

    /// Reads a time. Returns `nil` for a text of another form, and for a time before 1970.
    package init?(_ text: String) {
        let form =
            /([0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9])/
        guard text.utf8.count <= 40, let parts = text.wholeMatch(of: form)?.output,
            let date = try? Date("\(parts.1)\(parts.2)", strategy: .iso8601),
            let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)), (0...Self.last).contains(seconds)
        else { return nil }
        time = UnixTime(seconds: seconds)
    }

    package var description: String {
        Date(timeIntervalSince1970: Double(min(max(0, time.seconds), Self.last))).formatted(.iso8601)
    }
}
