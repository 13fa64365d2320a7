import HTTPClient
import Media
import Timing

extension AnswerHead {
    /// Returns the head's statement about reuse of the answer (RFC 9111, sections 3 and 4.2).
    ///
    /// `now` is the time of arrival in seconds since 1970. The answer may be older than it says by `delay`, the time
    /// from the request to the answer.
    func freshness(received: Instant, now: Int, delay: Duration) -> SourceFreshness.Answer {
        let control = CacheControl(cacheControl ?? "")
        let sent = date.flatMap(HeaderDate.seconds)
        let claimedAge = age.flatMap { HeaderNumber.parse($0, limit: HeaderNumber.longestTime) } ?? 0
        let apparentAge = Duration.seconds(max(0, now - (sent ?? now)))
        return SourceFreshness.Answer(
            isShareable: !control.forbidsSharing && !variesByAll,
            lifetime: lifetime(control, sent: sent ?? now),
            age: max(apparentAge, .seconds(claimedAge) + delay),
            received: received,
        )
    }

    private func lifetime(_ control: CacheControl, sent: Int) -> Duration? {
        if control.forbidsReuse { return .zero }
        if let seconds = control.sharedMaxAge ?? control.maxAge { return .seconds(seconds) }
        // A value that is not a date, such as 0, means a time in the past.
        return expires.map { .seconds(max(0, (HeaderDate.seconds($0) ?? sent) - sent)) }
    }

    /// A Boolean value that indicates whether the answer has `Vary: *`: it depends on more than the request.
    private var variesByAll: Bool {
        vary?.split(separator: ",").contains { $0.filter { $0 != " " } == "*" } ?? false
    }

    /// Returns the validators for a conditional request, or `nil` if the answer has none.
    func validators(redirectedTo url: String?) -> SourceValidators? {
        guard [200, 206, 304].contains(status), entityTag != nil || lastModified != nil else { return nil }
        return SourceValidators(entityTag: entityTag, lastModified: lastModified, redirectedTo: url)
    }
}

extension SourceValidators {
    /// The conditional header fields, so that the origin sends the source only if it has changed.
    var headerFields: [String] {
        [entityTag.map { "If-None-Match: \($0)" }, lastModified.map { "If-Modified-Since: \($0)" }].compactMap(\.self)
    }
}
