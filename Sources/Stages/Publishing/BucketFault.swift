import Downloads
import Media
import Timing

/// Why a request to a bucket failed.
struct BucketFault: Error {
    /// What happened, in sentences.
    private let event: String
    private let bucket: BucketAddress
    /// Whether the same request may well go better in a moment.
    let isPassing: Bool
    /// Whether time was over first, so that it may go better with more.
    let isLate: Bool

    /// What may pass, and isn't an answer.
    private static let passing: Set<AttachmentFailure.Reason> = [
        .connectionFailed, .truncated, .stalled,
    ]

    /// The store answered with something else than success.
    init(_ answer: MessageAnswer, _ bucket: BucketAddress) {
        let code = StoreErrorCode(in: answer.body)
        let name = code.map { " (\($0.rawValue))" } ?? ""
        let advice = code?.advice.map { " \($0)" } ?? ""
        event = "\(bucket.authority) answered with HTTP status \(answer.status)\(name).\(advice)"
        self.bucket = bucket
        isPassing = [408, 429, 500, 502, 503, 504].contains(answer.status) || code == .requestTimeout
        isLate = false
    }

    /// There was no answer.
    init(_ cause: AttachmentFailure, _ bucket: BucketAddress) {
        isLate = cause.reason == .timedOut
        isPassing = Self.passing.contains(cause.reason) || cause.concealedCause?.isUnresolved == true
        // The operator named the bucket, and may know why it can't be reached.
        let detail = cause.concealedCause.map { " (\($0))" } ?? ""
        event = isLate ? "\(bucket.authority) didn't answer in time." : cause.message + detail
        self.bucket = bucket
    }

    /// It was not asked: it failed too often lately, with `last`, and is asked again in `pause`.
    init(refusedFor pause: Duration?, after last: BucketFault?, _ bucket: BucketAddress) {
        let time = pause.map { "for another \(max(1, ($0.milliseconds + 999) / 1000)) s" } ?? "but by one file"
        event = "It failed again and again and is not tried \(time). \(last?.event ?? "")"
        self.bucket = bucket
        isPassing = false
        isLate = false
    }

    var failure: AttachmentFailure {
        AttachmentFailure(.store, .publishFailed, "The bucket \(bucket.name) cannot be written to: \(event)")
    }
}
