import Downloads
import Media

/// Why a request to a bucket failed.
struct BucketFault: Error {
    let failure: AttachmentFailure
    /// Whether the same request may well go better in a moment.
    let isPassing: Bool
    /// Whether time was over first, so that it may go better with more.
    let isLate: Bool

    /// What passes by, and isn't an answer.
    private static let passing: Set<AttachmentFailure.Reason> = [
        .connectionFailed, .unresolvedHost, .truncated, .stalled,
    ]

    /// The store answered with something else than success.
    init(_ answer: MessageAnswer, _ bucket: BucketAddress) {
        let code = StoreErrorCode(in: answer.body)
        let words = code.map { " (\($0.rawValue))" } ?? ""
        let advice = code?.advice.map { " \($0)" } ?? ""
        failure = Self.failure(
            bucket,
            "\(bucket.authority) answered with HTTP status \(answer.status)\(words).\(advice)"
        )
        isPassing = [408, 429, 500, 502, 503, 504].contains(answer.status) || code == .requestTimeout
        isLate = false
    }

    /// There was no answer.
    init(_ cause: AttachmentFailure, _ bucket: BucketAddress) {
        isLate = cause.reason == .timedOut
        isPassing = Self.passing.contains(cause.reason)
        let event = isLate ? "\(bucket.authority) didn't answer in time." : cause.message
        failure = Self.failure(bucket, event)
    }

    /// It was not asked: it failed too often lately, with `last`, and is asked again in `pause`.
    init(refusedFor pause: Duration?, after last: AttachmentFailure?, _ bucket: BucketAddress) {
        let seconds = pause.map { " for another \(max(1, ($0.milliseconds + 999) / 1000)) s" } ?? " but by one file"
        // What was wrong with it stands behind the bucket's name.
        let cause = last.map { String($0.message.drop { $0 != ":" }.dropFirst()) } ?? ""
        failure = Self.failure(bucket, "it failed again and again and is not tried\(seconds).\(cause)")
        isPassing = false
        isLate = false
    }

    private static func failure(_ bucket: BucketAddress, _ event: String) -> AttachmentFailure {
        AttachmentFailure(.store, .publishFailed, "The bucket \(bucket.name) cannot be written to: \(event)")
    }
}
