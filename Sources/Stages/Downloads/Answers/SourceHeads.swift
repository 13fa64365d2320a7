import Glibc
import HTTPClient
import Media
import Synchronization
import Timing

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
