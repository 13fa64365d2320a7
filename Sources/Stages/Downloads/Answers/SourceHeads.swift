import Glibc
import Media
import Synchronization
import Timing

/// The statements about reuse in the answers of one download. Recorded on the loop's thread, one answer at a time.
final class SourceHeads: Sendable {
    /// The answers: redirects, then the source itself, then further parts of it.
    private let answers = Mutex<[SourceFreshness.Answer]>([])
    private let tell: @Sendable (SourceHead) -> Void

    init(tell: @escaping @Sendable (SourceHead) -> Void) { self.tell = tell }

    /// Records an answer. `asked` is the time of the request; `place` is its URL, if a redirect led there. A 304 counts
    /// only for a version that was `known`.
    func note(_ head: AnswerHead, asked: Instant, redirectedTo place: String?, unless known: SourceValidators?) {
        guard head.status != 304 || known != nil else { return }
        let received = SystemTime().now
        let answer = head.freshness(received: received, now: time(nil), delay: received - asked)
        let answers = answers.withLock { answers in
            answers.append(answer)
            return answers
        }
        let validators = head.validators(redirectedTo: place)
        tell(SourceHead(status: head.status, freshness: SourceFreshness(answers: answers), validators: validators))
    }
}
