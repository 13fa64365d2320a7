import Jobs
import Payloads

/// The rules for deletions (SECURITY D1): nothing forgotten is delivered or served, and a deletion is answered soon.
///
/// `@unchecked Sendable`: a run has one thread.
final class ForgetChecks: @unchecked Sendable {
    /// The deletions that one life of a worker knows of.
    ///
    /// `@unchecked Sendable`: a run has one thread.
    final class Knowledge: @unchecked Sendable {
        /// The latest time as of which the worker knows all deletions.
        private(set) var time = Duration.seconds(-1)
        /// The breach of each answer, as of the time at which it was made; `nil` if it has none.
        fileprivate var breaches: [Lease: String?] = [:]

        func learned(asOf time: Duration) { self.time = max(self.time, time) }
    }

    private let verdict: Verdict
    private let scheduler: Scheduler
    private let faults: Faults
    private let files: FileTable
    private var marked: [String: Duration] = [:]
    /// The contents whose deletion was answered, and the times of the deletion and of its answer.
    private var forgotten: [String: (marked: Duration, answered: Duration)] = [:]
    /// The same for sources.
    private var forgottenSources: [String: (marked: Duration, answered: Duration)] = [:]
    /// The time that a job may spend on a question before its work begins.
    private static let startTime = Duration.milliseconds(250)
    /// The time in which a deletion is answered: the workers' next questions, and a file to remove.
    private static let answerTime = Duration.milliseconds(1500)
    /// The time for which a lease outlives a disturbance.
    private static let leaseTime = Duration.seconds(3)

    init(_ verdict: Verdict, _ scheduler: Scheduler, _ faults: Faults, _ files: FileTable) {
        self.verdict = verdict
        self.scheduler = scheduler
        self.faults = faults
        self.files = files
    }

    func marked(_ mark: FleetMark) { marked[mark.version.text] = scheduler.now }

    /// Checks that a deletion which begins now is answered soon, unless something goes wrong.
    func begins(_ isAnswered: @escaping () -> Bool) {
        let start = scheduler.now
        scheduler.at(start + Self.answerTime) { [self] in
            guard faults.isQuiet(from: start - Self.leaseTime, to: scheduler.now) else { return }
            verdict.require(isAnswered(), .forgets, "a deletion from \(start) is not answered yet")
        }
    }

    /// Records that a deletion was answered, and checks that no worker serves its contents.
    func answered(_ mark: FleetMark, _ contents: Set<String>, by workers: [SimulatedWorker]) {
        let time = marked[mark.version.text] ?? .zero
        if let source = mark.source, forgottenSources[source] == nil {
            forgottenSources[source] = (time, scheduler.now)
        }
        for content in contents where forgotten[content] == nil { forgotten[content] = (time, scheduler.now) }
        for worker in workers where worker.fleet.isCurrent {
            let left = contents.first { worker.store.has($0) }
            verdict.require(left == nil, .forgotten, "\(worker.machine.name) still has \(left ?? "")")
        }
    }

    /// Returns what is wrong with an answer that is made now. One that is sent again was made before.
    ///
    /// Only a worker that could not ask since the deletion may deliver its contents, if it made them since it asked last. Others
    /// deliver nothing of a source if the job `begun` before its deletion.
    func breach(_ lease: Lease, _ reply: JobReply, begun: Duration?, _ knowledge: Knowledge) -> String? {
        if let known = knowledge.breaches[lease] { return known }
        let found = breach(reply, begun ?? scheduler.now, knowledge)
        knowledge.breaches[lease] = .some(found)
        return found
    }

    private func breach(_ reply: JobReply, _ begun: Duration, _ knowledge: Knowledge) -> String? {
        guard let result = try? JSONValue(parsing: reply.body), let link = result["payload"]?["my-attachment"]?.text,
            let file = files[link]
        else { return nil }
        if let (marked, answered) = forgottenSources[file.source], begun + Self.startTime < marked,
            knowledge.time >= marked
        {
            return "began at \(begun), and has \(link), whose source's deletion was answered at \(answered)"
        }
        guard let (marked, answered) = forgotten[file.content] else { return nil }
        let isAnew = knowledge.time < marked && file.made > knowledge.time
        return isAnew ? nil : "has \(link), made at \(file.made), whose deletion was answered at \(answered)"
    }

    /// Checks an answer that the queue accepted.
    func accepted(_ job: String, _ breach: String?) {
        if let breach { verdict.breaks(.forgotten, "\(job) \(breach)") }
    }
}
