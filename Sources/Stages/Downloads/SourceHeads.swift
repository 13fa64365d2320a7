import Glibc
import Media
import Synchronization
import Timing

/// What the answers of one download say of using its source again. Told on the loop's thread, one answer at a time.
final class SourceHeads: Sendable {
    /// Redirects, then the source itself, and then further parts of it.
    private let answers = Mutex<[SourceFreshness.Answer]>([])
    private let tell: @Sendable (SourceHead) -> Void

    init(tell: @escaping @Sendable (SourceHead) -> Void) { self.tell = tell }

    /// `asked` is when the request was made; `place` is its URL, if a redirect led there. 304 says something only of a
    /// version that was `known`.
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
