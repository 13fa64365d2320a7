import Base
import Jobs
import Media
import Support
import Synchronization

/// A handler that answers according to its script, and records its requests.
final class ScriptedHandler: JobHandler {
    typealias Script = @Sendable (LeasedJob) async -> JobReply

    private let script: Script
    private let begun = Mutex<[(id: String, deadline: Instant)]>([])

    init(_ script: @escaping Script = { JobReply(.ok, body: [UInt8]($0.job.id.utf8)) }) { self.script = script }

    /// The started jobs, in order.
    var ids: [String] { begun.withLock { $0.map(\.id) } }
    var deadlines: [Instant] { begun.withLock { $0.map(\.deadline) } }

    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        begun.withLock { $0.append((job.job.id, deadline)) }
        return await script(job)
    }

    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply {
        JobReply(status, body: job.job.content)
    }
}

/// A poster that only records its requests, and returns its script's outcomes.
final class ScriptedPoster: CallbackPoster {
    private let outcomes: [CallbackOutcome]
    private let requests = Mutex<[CallbackRequest]>([])

    /// Creates the poster with one outcome for each post, and `received` after those.
    init(_ outcomes: [CallbackOutcome] = []) { self.outcomes = outcomes }

    var posted: [CallbackRequest] { requests.withLock(\.self) }

    func post(_ callback: CallbackRequest) async -> CallbackResult {
        requests.withLock { requests in
            requests.append(callback)
            let outcome = requests.count <= outcomes.count ? outcomes[requests.count - 1] : .received
            return CallbackResult(outcome, reason: outcome == .received ? nil : "It says so.")
        }
    }
}

/// A poster whose posts to hosts with `tarpit` in their names don't end until the test allows it.
final class TarpitPoster: CallbackPoster {
    private let posts = Mutex<[String]>([])
    private let end = Signal()

    var posted: [String] { posts.withLock(\.self) }

    func post(_ callback: CallbackRequest) async -> CallbackResult {
        posts.withLock { $0.append(callback.url) }
        if callback.url.contains("tarpit") { await end.hang() }
        return CallbackResult(.received)
    }

    func stop() { end.send() }
}
