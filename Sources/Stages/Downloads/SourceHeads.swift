import Base
import Glibc
import HTTPClient
import Media
import Synchronization

/// The statements about reuse in the answers of one download. Recorded on the loop's thread, one answer at a time.
final class SourceHeads: Sendable {
    /// The answers: redirects, then the source itself, then further parts of it.
    private let answers = Mutex<[SourceFreshness.Answer]>([])
    private let clock: any TimeSource
    private let onEvent: ProgressEvent.Receiver

    init(time clock: any TimeSource, onEvent: @escaping ProgressEvent.Receiver) {
        self.clock = clock
        self.onEvent = onEvent
    }

    /// Records an answer, and reports what all answers so far say together.
    ///
    /// `asked` is the time of the request; `target` is its URL, if a redirect led there. A 304 counts only for a version
    /// that was `known`.
    func record(_ head: AnswerHead, asked: Instant, redirectedTo target: String?, unless known: SourceValidators?) {
        guard head.status != 304 || known != nil else { return }
        let received = clock.now
        let answer = head.freshness(received: received, now: time(nil), delay: received - asked)
        let answers = answers.withLock { answers in
            answers.append(answer)
            return answers
        }
        let freshness = SourceFreshness(answers: answers)
        let validators = head.validators(redirectedTo: target)
        var source = SourceHead(status: head.status, freshness: freshness, validators: validators)
        source.connectTime = head.connectTime
        source.answerTime = received - asked
        onEvent(.head(source))
    }
}

// MARK: - Freshness

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

/// The directives of a `Cache-Control` field, as a shared cache reads them (RFC 9111, section 5.2.2).
struct CacheControl: Equatable {
    /// A Boolean value that indicates whether the field has `private` or `no-store`, even for certain fields only: a
    /// shared cache may not keep the answer.
    private(set) var forbidsSharing = false
    /// A Boolean value that indicates whether the origin must be asked before each use.
    private(set) var forbidsReuse = false
    /// The lifetime in seconds: of several the least, and 0 if one cannot be read.
    private(set) var sharedMaxAge: Int?
    private(set) var maxAge: Int?

    init(_ field: String) {
        for directive in Self.directives(of: field) {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let argument = parts.count > 1 ? String(parts[1]) : ""
            switch parts[0].trimmed.lowercased() {
            case "private", "no-store": forbidsSharing = true
            case "no-cache": forbidsReuse = true
            case "s-maxage": sharedMaxAge = min(sharedMaxAge ?? .max, Self.seconds(argument))
            case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(argument))
            default: break
            }
        }
    }

    /// Splits at commas outside quotes: `private="a, b", max-age=5`.
    private static func directives(of field: String) -> [Substring] {
        var isQuoted = false
        return field.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    /// Returns the number of seconds, in quotes or without. More than 68 years count as 68 years (RFC 9111, section
    /// 1.2.2).
    private static func seconds(_ argument: String) -> Int {
        let digits = argument.trimmed.filter { $0 != "\"" }
        return HeaderNumber.parse(digits, limit: HeaderNumber.longestTime) ?? 0
    }
}
