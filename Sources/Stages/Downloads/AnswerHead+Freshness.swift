import CCurl
import Media
import Timing

extension AnswerHead {
    /// What the head says of using the answer again (RFC 9111, sections 3 and 4.2).
    ///
    /// `now` is in seconds since 1970, when the answer came. The `delay` from the request to the answer is what it may be
    /// older than it says.
    func freshness(received: Instant, now: Int, delay: Duration) -> SourceFreshness.Answer {
        let control = CacheControl(cacheControl ?? "")
        let sent = date.flatMap(Self.seconds)
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
        // What is no date, such as 0, has passed.
        return expires.map { .seconds(max(0, (Self.seconds($0) ?? sent) - sent)) }
    }

    /// `Vary: *`: it depends on what no request says.
    private var variesByAll: Bool {
        vary?.split(separator: ",").contains { $0.filter { $0 != " " } == "*" } ?? false
    }

    /// What asks for the source only if it isn't this version; `nil` if there is nothing that says which it is.
    func validators(redirectedTo url: String?) -> SourceValidators? {
        guard [200, 206, 304].contains(status), entityTag != nil || lastModified != nil else { return nil }
        return SourceValidators(entityTag: entityTag, lastModified: lastModified, redirectedTo: url)
    }

    private static func seconds(_ date: String) -> Int? {
        let seconds = unsafe curl_getdate(date, nil)
        // A date beyond the year 9999 is not one (RFC 9110, section 5.6.7).
        return (0..<253_402_300_800).contains(seconds) ? seconds : nil
    }
}

extension SourceValidators {
    /// The conditions of a request that leads to the source if it has changed.
    var headerFields: [String] {
        [entityTag.map { "If-None-Match: \($0)" }, lastModified.map { "If-Modified-Since: \($0)" }].compactMap(\.self)
    }
}
