import Base
@testable import Jobs
import Media
import Support
import Testing

@Suite("A worker's decisions")
struct WorkerStateTests {
    private static let start = Instant(sinceOrigin: .zero)
    private static let margin = Duration.milliseconds(50)

    private var state = WorkerState(
        limits: WorkerLimits(slots: 2, margin: margin, answerTime: .zero, drainTime: .seconds(20))
    )
    private let now = start

    private func job(
        _ id: String,
        within timeLimit: Duration = .seconds(10),
        starts: Int = 0,
        priority: Job.Priority = .high,
        tenant: String = Job.defaultTenant,
    ) -> LeasedJob {
        LeasedJob(
            lease: Lease(entry: id, fence: 1),
            job: Job(id: id, tenant: tenant, priority: priority, timeLimit: timeLimit, content: []),
            deadline: Self.start + timeLimit,
            enqueued: Self.start,
            starts: starts,
        )
    }

    private func work(_ job: LeasedJob) -> WorkerState.Action { .work(job, until: job.deadline - Self.margin) }

    @Test("the earliest deadlines run first, as many as there are slots")
    mutating func order() {
        let jobs = [job("a", within: .seconds(3)), job("b", within: .seconds(1)), job("c", within: .seconds(2))]
        #expect(state.take(jobs, now: now) == [work(jobs[1]), work(jobs[2])])
        #expect(state.worked(jobs[1].lease, now: now) == true)
        #expect(state.timePassed(now) == [work(jobs[0])])
        #expect(state.answered(jobs[1].lease, now: now) == [])
        #expect(state.workingCount == 2)
    }

    @Test("a job that waits for a picture lends its slot, at most a quarter of all slots at a time")
    mutating func lent() {
        let jobs = ["a", "b", "c", "d"].map { job($0) }
        #expect(state.take(jobs, now: now) == [work(jobs[0]), work(jobs[1])])
        // A job without a slot has none to lend, and the second one would be more than a quarter.
        let lent = [jobs[2], jobs[0], jobs[1]].map { state.lend($0.lease) }
        #expect(lent == [false, true, false] && state.jobsWithoutSlot == 0)
        #expect(state.timePassed(now) == [work(jobs[2])])
        state.reclaim(jobs[0].lease)
        let hasWorked = state.worked(jobs[1].lease, now: now)
        #expect(hasWorked && state.timePassed(now) == [])
        let lendsAgain = state.lend(jobs[2].lease)
        #expect(lendsAgain && state.timePassed(now) == [work(jobs[3])])
        // It is answered on time, too, and its share is free again.
        let due = jobs[2].deadline
        #expect(state.timePassed(due).contains(.answer(jobs[2], .original)))
        let last = job("e", within: .seconds(60))
        let begun = state.take([last], now: due)
        let isLent = state.lend(last.lease)
        #expect(begun == [work(last)] && isLent)
    }

    @Test("a job that comes again under the same lease, after a fail-over, is not begun twice")
    mutating func heldAlready() {
        let (running, waiting) = (job("a"), [job("b"), job("c")])
        #expect(state.take([running] + waiting, now: now) == [work(running), work(waiting[0])])
        #expect(state.take([running, waiting[1]], now: now) == [])
        #expect(state.worked(running.lease, now: now) == true)
        // The answer is on its way.
        #expect(state.take([running], now: now) == [work(waiting[1])])
        #expect(state.worked(running.lease, now: now) == false)
        #expect(state.answered(running.lease, now: now) == [])
        // From now on, the job is new to this worker.
        _ = state.worked(waiting[0].lease, now: now)
        #expect(state.take([running], now: now) == [work(running)])
    }

    @Test("high priority goes before an earlier deadline of low priority")
    mutating func priority() {
        let (low, high) = (job("low", within: .seconds(1), priority: .low), job("high", within: .seconds(9)))
        let other = job("other", within: .seconds(8))
        #expect(state.take([low, high, other], now: now) == [work(other), work(high)])
    }

    @Test("the first job of a tenant is next, however many more urgent ones of another tenant wait")
    mutating func tenants() {
        let campaign = (0..<40).map { job("c\($0)", within: .seconds(5) + .milliseconds($0), tenant: "campaign") }
        _ = state.take(campaign, now: now)
        for job in campaign.prefix(20) {
            _ = state.worked(job.lease, now: now)
            _ = state.answered(job.lease, now: now)
        }
        let chat = ["a", "b"].map { job($0, within: .seconds(20), tenant: "chat") }
        #expect(state.take(chat, now: now) == [])
        _ = state.worked(campaign[20].lease, now: now)
        #expect(state.answered(campaign[20].lease, now: now) == [work(chat[0])])
        _ = state.worked(campaign[21].lease, now: now)
        #expect(state.answered(campaign[21].lease, now: now) == [work(campaign[22])])
        _ = state.worked(chat[0].lease, now: now)
        #expect(state.answered(chat[0].lease, now: now) == [work(chat[1])])
    }

    @Test(
        "a job with no more time than the margin is answered without work, even if the time passed while it waited"
    )
    mutating func expired() {
        let (late, soon) = (job("late", within: .milliseconds(50)), job("soon", within: .milliseconds(60)))
        let (a, b) = (job("a", within: .milliseconds(51)), job("b", within: .milliseconds(52)))
        #expect(state.take([late, soon, a, b], now: now) == [.answer(late, .expired), work(a), work(b)])
        #expect(state.nextAnswer == now + .milliseconds(10))
        #expect(state.timePassed(now + .milliseconds(9)) == [])
        #expect(state.timePassed(now + .milliseconds(10)) == [.answer(soon, .expired)])
        #expect(state.timePassed(now + .milliseconds(10)) == [])
    }

    @Test("many waiting jobs are answered one after the other, so that the last of them is in time too")
    func crowd() {
        let limits = WorkerLimits(slots: 1, margin: Self.margin, answerTime: .milliseconds(10))
        var state = WorkerState(limits: limits)
        let jobs = (0..<4).map { job("\($0)", within: .seconds(1)) }
        #expect(state.take(jobs, now: now) == [work(jobs[0])])
        for (position, job) in jobs.dropFirst().enumerated() {
            let due = now + .milliseconds(1000 - 50 - 20 + position * 10)
            #expect(state.nextAnswer == due)
            #expect(state.timePassed(due) == [.answer(job, .expired)])
        }
    }

    @Test("a crowd that is due much later takes no time from a job that is due soon")
    func laterCrowd() {
        let limits = WorkerLimits(slots: 1, margin: Self.margin, answerTime: .milliseconds(1))
        var state = WorkerState(limits: limits)
        let campaign = (0..<4000).map { job("\($0)", within: .seconds(300), tenant: "campaign") }
        #expect(state.take(campaign, now: now).count == 1)
        let chat = job("chat", within: .seconds(3), tenant: "chat")
        #expect(state.take([chat], now: now) == [])
        #expect(state.nextAnswer == chat.deadline - Self.margin)
        let isNeeded = state.worked(campaign[0].lease, now: now)
        #expect(isNeeded)
        #expect(state.answered(campaign[0].lease, now: now) == [work(chat)])
    }

    /// A worker whose answer of one job was late by `delay`.
    private func late(by delay: Duration) -> WorkerState {
        var state = WorkerState(limits: WorkerLimits(slots: 1, margin: Self.margin, answerTime: .zero))
        let slow = job("slow", within: .milliseconds(60))
        _ = state.take([slow], now: now)
        _ = state.worked(slow.lease, now: now)
        _ = state.answered(slow.lease, now: slow.deadline - Self.margin + delay)
        return state
    }

    @Test("when answers take long, more of each job's time is reserved for them; half as much ten seconds later")
    func delays() {
        let (next, then) = (job("next", within: .seconds(60)), now + .milliseconds(210))
        var state = late(by: .milliseconds(200))
        let early = next.deadline - Self.margin - .milliseconds(200)
        #expect(state.take([next], now: then) == [.work(next, until: early)])
        state = late(by: .milliseconds(200))
        let later = next.deadline - Self.margin - .milliseconds(100)
        #expect(state.take([next], now: then + .seconds(10)) == [.work(next, until: later)])
    }

    @Test("slow answers take at most a quarter of a job's time, and a standstill nothing", arguments: [900, 1500])
    func boundedDelays(milliseconds: Int) {
        var state = late(by: .milliseconds(milliseconds))
        let next = job("next", within: .seconds(3))
        let reserved = milliseconds > 1000 ? Duration.zero : .milliseconds(750)
        let then = now + .milliseconds(milliseconds + 10)
        #expect(state.take([next], now: then) == [.work(next, until: next.deadline - Self.margin - reserved)])
    }

    @Test("a job that was overdue when the worker took it does not count as a slow answer", arguments: [0, 7])
    func overdue(starts: Int) {
        var state = WorkerState(limits: WorkerLimits(slots: 1, margin: Self.margin, answerTime: .zero))
        let (old, next) = (job("old", within: .seconds(1), starts: starts), job("next", within: .seconds(60)))
        let then = now + .seconds(1.8)
        _ = state.take([old], now: then)
        _ = state.answered(old.lease, now: then + .milliseconds(5))
        #expect(state.take([next], now: then) == [.work(next, until: next.deadline - Self.margin)])
    }

    @Test("a timer that ended late while a job ran is no delay of its answer")
    func lateTimerMeanwhile() {
        var state = WorkerState(limits: WorkerLimits(slots: 1, margin: Self.margin, answerTime: .zero))
        let (first, next) = (job("first", within: .seconds(5)), job("next", within: .seconds(60)))
        _ = state.take([first], now: now)
        state.lateness = .seconds(1)
        #expect(state.worked(first.lease, now: now) == true)
        _ = state.answered(first.lease, now: first.deadline - Self.margin - .milliseconds(1))
        state.lateness = .zero
        #expect(state.take([next], now: now) == [.work(next, until: next.deadline - Self.margin)])
    }

    @Test("when timers end late, more of each job's time is reserved, but at most a quarter")
    mutating func lateTimers() {
        state.lateness = .milliseconds(300)
        let (a, b) = (job("a", within: .seconds(5)), job("b", within: .seconds(6)))
        let (short, long) = (job("c", within: .seconds(8)), job("d", within: .seconds(9)))
        #expect(
            state.take([a, b, short, long], now: now)
                == [a, b].map { .work($0, until: $0.deadline - Self.margin - .milliseconds(300)) }
        )
        _ = state.worked(a.lease, now: now)
        _ = state.worked(b.lease, now: now)
        #expect(state.timePassed(now).count == 2)
        let waiting = job("e", within: .milliseconds(400))
        #expect(state.take([waiting], now: now) == [])
        #expect(state.nextAnswer == waiting.deadline - Self.margin - .milliseconds(100))
        #expect(state.timePassed(now + .milliseconds(250)) == [.answer(waiting, .expired)])
    }

    @Test("work that does not end is stopped and answered with the original, in time; its late result is dropped")
    mutating func hanging() {
        let (hanging, next) = (job("a", within: .seconds(1)), job("b", within: .seconds(2)))
        state = WorkerState(limits: WorkerLimits(slots: 1, margin: Self.margin))
        #expect(state.take([hanging, next], now: now) == [work(hanging)])
        #expect(state.nextAnswer == hanging.deadline - Self.margin / 2)
        let due = hanging.deadline - Self.margin / 2
        #expect(state.timePassed(due) == [.stop(hanging.lease), .answer(hanging, .original), work(next)])
        #expect(state.worked(hanging.lease, now: now) == false)
        #expect(state.leases.contains(hanging.lease))
        #expect(state.answered(hanging.lease, now: now) == [])
        #expect(!state.leases.contains(hanging.lease))
    }

    @Test("a job that was started twice and never ended runs alone, and is not overtaken")
    mutating func alone() {
        let (first, suspect) = (job("1", within: .seconds(1)), job("2", within: .seconds(2), starts: 2))
        let last = job("3", within: .seconds(3), starts: 1)
        #expect(state.take([last, suspect, first], now: now) == [work(first)])
        #expect(state.worked(first.lease, now: now) == true)
        #expect(state.timePassed(now) == [work(suspect)])
        #expect(state.answered(first.lease, now: now) == [])
        #expect(state.worked(suspect.lease, now: now) == true)
        #expect(state.answered(suspect.lease, now: now) == [work(last)])
    }

    @Test("a job that runs alone delays the others for ten seconds at most")
    mutating func longAlone() {
        let (suspect, next) = (job("suspect", within: .seconds(3600), starts: 2), job("next", within: .seconds(3601)))
        #expect(state.take([suspect, next], now: now) == [.work(suspect, until: now + .seconds(10))])
        let due = now + .seconds(10) + Self.margin / 2
        #expect(state.nextAnswer == due)
        #expect(state.timePassed(due) == [.stop(suspect.lease), .answer(suspect, .original), work(next)])
    }

    @Test("a job that was started seven times and never ended, the last five alone, is dead-lettered without work")
    mutating func poison() {
        let (suspect, innocent) = (job("suspect", starts: 6), job("innocent", within: .seconds(11)))
        #expect(state.take([suspect, innocent], now: now) == [work(suspect)])
        #expect(state.worked(suspect.lease, now: now) == true)
        #expect(state.answered(suspect.lease, now: now) == [work(innocent)])
        #expect(state.worked(innocent.lease, now: now) == true)
        #expect(state.answered(innocent.lease, now: now) == [])
        let poison = job("poison", starts: 7)
        #expect(state.take([poison], now: now) == [.deadLetter(poison)])
        #expect(state.timePassed(poison.deadline + .seconds(1)) == [])
        #expect(state.leases == [poison.lease])
        #expect(state.answered(poison.lease, now: now) == [])
        #expect(state.isEmpty)
    }

    /// 4,000 jobs of 130 ms, 16 at once. Each second the worker is killed. A job that kills its worker does so after 20
    /// ms, each time.
    @Test(
        "a worker that is killed each second makes no innocent job poison, and a job that kills workers is found",
        arguments: 0..<8
    )
    func killedOnceASecond(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var open = Dictionary(uniqueKeysWithValues: (0..<4000).map { ("\($0)", 0) })
        let poison = Set((0..<8).map { _ in "\(Int.random(in: 0..<4000, using: &random))" })
        var deadLettered: Set<String> = []
        while !open.isEmpty {
            var worker = WorkerState(limits: WorkerLimits(slots: 16, margin: Self.margin, held: 64))
            let end = now + .milliseconds(.random(in: 900...1100, using: &random))
            var time = now
            var ends: [(Instant, LeasedJob)] = []
            func begin(_ actions: [WorkerState.Action]) {
                for action in actions {
                    switch action {
                    case .work(let job, _):
                        open[job.job.id, default: 0] += 1
                        let isPoison = poison.contains(job.job.id)
                        ends.append((time + .milliseconds(isPoison ? 20 : .random(in: 60...200, using: &random)), job))
                    case .deadLetter(let job): deadLettered.insert(job.job.id)
                    default: Issue.record("\(action)")
                    }
                }
            }
            // The started jobs come back first, as reclaimed jobs do.
            var waiting = open.sorted { ($0.value, $1.key) < ($1.value, $0.key) }
            func take() {
                let next = waiting.suffix(worker.room)
                waiting.removeLast(next.count)
                let jobs = next.map { job($0.key, within: .seconds(3600), starts: $0.value) }
                begin(worker.take(jobs, now: time))
                for id in deadLettered where open.removeValue(forKey: id) != nil {
                    begin(worker.answered(Lease(entry: id, fence: 1), now: time))
                }
            }
            take()
            while let next = ends.min(by: { $0.0 < $1.0 }), next.0 < end {
                time = next.0
                guard !poison.contains(next.1.job.id) else { break }
                ends.removeAll { $0.1.lease == next.1.lease }
                open[next.1.job.id] = nil
                _ = worker.worked(next.1.lease, now: now)
                begin(worker.answered(next.1.lease, now: time))
                take()
            }
        }
        #expect(deadLettered == poison)
    }

    @Test("a lost lease stops its work, its slot goes to the next job, and it is not renewed again")
    mutating func lost() {
        let jobs = (1...4).map { job("\($0)", within: .seconds($0)) }
        _ = state.take(jobs, now: now)
        #expect(state.lost([jobs[0].lease, jobs[2].lease]) == [.stop(jobs[0].lease), work(jobs[3])])
        #expect(Set(state.leases) == [jobs[1].lease, jobs[3].lease])
        #expect(state.worked(jobs[0].lease, now: now) == false)
    }

    @Test("a worker takes only as many jobs as it can answer")
    mutating func room() {
        #expect(state.room == 24)
        _ = state.take((0..<24).map { job("\($0)") }, now: now)
        #expect(state.room == 0)
        #expect(state.worked(Lease(entry: "0", fence: 1), now: now) == true)
        #expect(state.room == 0)
        _ = state.answered(Lease(entry: "0", fence: 1), now: now)
        #expect(state.room == 1)
    }

    @Test("a worker takes a few jobs in advance, and more only if they are urgent")
    mutating func roomAhead() {
        #expect(state.roomAhead == 4)
        _ = state.take((0..<3).map { job("\($0)") }, now: now)
        #expect(state.roomAhead == 1)
        _ = state.take((3..<6).map { job("\($0)") }, now: now)
        #expect(state.roomAhead == 0)
        #expect(state.room == 18)
        _ = state.lost([Lease(entry: "0", fence: 1), Lease(entry: "1", fence: 1), Lease(entry: "2", fence: 1)])
        #expect(state.roomAhead == 1)
        _ = state.drain(now: now)
        #expect(state.roomAhead == 0)
    }

    @Test("a worker with enough jobs asks for those of tenants that do not wait at it, of each priority")
    mutating func extra() {
        _ = state.take((0..<8).map { job("\($0)", within: .seconds(60)) }, now: now)
        _ = state.take([job("low", within: .seconds(60), priority: .low, tenant: "news")], now: now)
        #expect(state.roomAhead == 0)
        #expect(state.extra == ExtraJobs(dueWithin: .seconds(5), tenants: [.high: ["default"], .low: ["news"]]))
    }

    @Test("while a job runs alone or is the next to, the worker leases nothing ahead")
    mutating func aloneNext() {
        let (first, suspect) = (job("first"), job("suspect", within: .seconds(60), starts: 2))
        #expect(state.take([first], now: now) == [work(first)])
        #expect(state.roomAhead == 3)
        #expect(state.take([suspect], now: now) == [])
        #expect(state.roomAhead == 0)
        #expect(state.worked(first.lease, now: now) == true)
        #expect(state.answered(first.lease, now: now).count == 1)
        #expect(state.workingCount == 1 && state.roomAhead == 0)
        #expect(state.worked(suspect.lease, now: now) == true)
        #expect(state.answered(suspect.lease, now: now) == [])
        #expect(state.roomAhead == 4)
    }

    @Test("a job that waits or runs can be lost; one that is being answered is the queue's to refuse")
    mutating func canBeLost() {
        let jobs = (1...3).map { job("\($0)", within: .seconds($0)) }
        _ = state.take(jobs, now: now)
        #expect(state.worked(jobs[0].lease, now: now) == true)
        #expect(jobs.map { state.canLose($0.lease) } == [false, true, true])
        _ = state.answered(jobs[0].lease, now: now)
        #expect(!state.canLose(jobs[0].lease))
    }

    @Test("a worker that drains returns what no decoder has begun, and in the end what has not ended, unless it is due")
    mutating func drain() {
        state = WorkerState(limits: WorkerLimits(slots: 4, margin: Self.margin, drainTime: .seconds(20)))
        let (short, due, long) = (
            job("short", within: .seconds(5)), job("due", within: .seconds(21)), job("long", within: .seconds(60))
        )
        let (unbegun, waiting) = (job("unbegun", within: .seconds(65)), job("waiting", within: .seconds(70)))
        _ = state.take([waiting, short, due, long, unbegun], now: now)
        state.decoderBegan(long.lease)
        #expect(state.drain(now: now) == .init(unstarted: [waiting.lease], brokenOff: [unbegun.lease]))
        #expect(state.room == 0)
        #expect(state.worked(unbegun.lease, now: now) == false && state.worked(short.lease, now: now) == true)
        #expect(state.answered(short.lease, now: now) == [])
        #expect(state.timePassed(now + .seconds(20)) == [])
        #expect(state.endDrain(now: now + .seconds(20)) == .init(brokenOff: [long.lease]))
        #expect(state.timePassed(now + .seconds(21)) == [.stop(due.lease), .answer(due, .original)])
        #expect(state.answered(due.lease, now: now + .seconds(21)) == [])
        #expect(state.isEmpty)
    }

    @Test("work that ends short while the worker drains goes back, unless the job is due")
    mutating func endsShort() {
        state = WorkerState(limits: WorkerLimits(slots: 4, margin: Self.margin, drainTime: .seconds(5)))
        let (due, long) = (job("due", within: .seconds(6)), job("long", within: .seconds(60)))
        _ = state.take([due, long], now: now)
        for job in [due, long] { state.decoderBegan(job.lease) }
        #expect(state.endedShort(long.lease, now: now) == .init())
        #expect(state.drain(now: now) == .init())
        #expect(state.endedShort(due.lease, now: now + .seconds(5)) == .init())
        #expect(state.endedShort(long.lease, now: now + .seconds(1)) == .init(brokenOff: [long.lease]))
        #expect(state.worked(long.lease, now: now) == false && state.worked(due.lease, now: now) == true)
    }

    @Test(
        "the worker leases ahead what its decoders can begin, more with each job that they begin, fewer while jobs wait"
    )
    mutating func window() {
        state = WorkerState(limits: WorkerLimits(slots: 64, decoders: 2))
        #expect(state.roomAhead == 4)
        let jobs = (0..<8).map { job("\($0)", within: .seconds(60)) }
        _ = state.take(Array(jobs.prefix(4)), now: now)
        #expect(state.roomAhead == 0 && state.room > 0)
        for job in jobs.prefix(2) { state.decoderBegan(job.lease) }
        state.decoderBegan(jobs[0].lease)
        #expect(state.roomAhead == 4)
        _ = state.take(Array(jobs.suffix(4)), now: now)
        #expect(state.roomAhead == 0)
        state.decodersHave(waiting: 2)
        for job in jobs[2..<4] { state.decoderBegan(job.lease) }
        #expect(state.roomAhead == 0)
        state.decodersHave(waiting: 1)
        // A job that needed no decoder makes room for two.
        #expect(state.worked(jobs[4].lease, now: now) == true)
        #expect(state.roomAhead == 2)
    }

    @Test(
        "a job with less time than jobs usually take gives way to those with enough, and begins when nobody else waits"
    )
    mutating func givesWay() {
        state = WorkerState(limits: WorkerLimits(slots: 1, margin: .zero))
        let first = job("first", within: .seconds(60))
        _ = state.take([first], now: now)
        state.decoderBegan(first.lease)
        let doomed = job("doomed", within: .milliseconds(2900))
        let others = ["a", "b"].map { job($0, within: .seconds(30)) }
        _ = state.take([doomed] + others, now: now)
        // The first one took a second. Then the doomed one has 900 ms left, and neither a second nor half of its time.
        #expect(state.worked(first.lease, now: now + .seconds(1)) == true)
        var order: [String] = []
        for elapsed in [2000, 2100, 2200] {
            for case .work(let job, _) in state.timePassed(now + .milliseconds(elapsed)) {
                order.append(job.job.name.id)
                #expect(state.worked(job.lease, now: now + .milliseconds(elapsed)) == true)
            }
        }
        #expect(order == ["a", "b", "doomed"])
    }

    @Test("half of its time is enough for a job, however long others take")
    mutating func halfIsEnough() {
        state = WorkerState(limits: WorkerLimits(slots: 1, margin: .zero))
        let long = job("long", within: .seconds(60))
        _ = state.take([long], now: now)
        state.decoderBegan(long.lease)
        _ = state.take([job("other", within: .seconds(60)), job("short", within: .seconds(2))], now: now)
        #expect(state.worked(long.lease, now: now + .seconds(10)) == true)
        let actions = state.timePassed(now + .seconds(1))
        #expect(actions.contains { if case .work(let job, _) = $0 { job.job.name.id == "short" } else { false } })
    }

    @Test(
        "while jobs wait for all decoders, only a few begin beside them; those that wait for their origins do not count"
    )
    mutating func begins() {
        state = WorkerState(limits: WorkerLimits(slots: 64, decoders: 2))
        state.decodersHave(waiting: 0)
        let jobs = (0..<20).map { job("\($0)", within: .seconds(60)) }
        func begun(_ actions: [WorkerState.Action]) -> Int {
            actions.count { if case .work = $0 { true } else { false } }
        }
        // Two for the decoders, and four in any case.
        #expect(begun(state.take(jobs, now: now)) == 4)
        state.decodersHave(waiting: 2)
        #expect(begun(state.timePassed(now)) == 0)
        state.decoderBegan(jobs[0].lease)
        #expect(begun(state.timePassed(now)) == 1)
        state.decodersHave(waiting: 0)
        #expect(begun(state.timePassed(now)) == 2)
        // One took 100 ms, so the others are late by now.
        #expect(state.worked(jobs[0].lease, now: now + .milliseconds(100)) == true)
        state.decodersHave(waiting: 2)
        #expect(begun(state.timePassed(now + .milliseconds(150))) == 0)
        #expect(begun(state.timePassed(now + .milliseconds(250))) == 4)
    }

    @Test(
        "in any order of events, every job is answered once and by its deadline, and the limits are kept",
        arguments: 0..<50
    )
    mutating func anything(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var now = Self.start
        var open: [Lease: LeasedJob] = [:]
        var working: Set<Lease> = []
        var answering: [LeasedJob] = []
        for number in 0..<400 {
            var actions: [WorkerState.Action] = []
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let jobs = (0..<min(state.room, .random(in: 0...3, using: &random))).map { index in
                    var job = job("\(number).\(index)", starts: .random(in: 0...7, using: &random))
                    job.deadline = now + .milliseconds(.random(in: -100...5000, using: &random))
                    open[job.lease] = job
                    return job
                }
                actions = state.take(jobs, now: now)
            case 2:
                // Time moves on to the next necessary action, never beyond.
                let step = now + .milliseconds(.random(in: 0...500, using: &random))
                now = min(step, state.nextAnswer ?? step)
                actions = state.timePassed(now)
            case 3:
                guard let lease = working.sorted(by: { $0.entry < $1.entry }).randomElement(using: &random) else {
                    break
                }
                #expect(state.worked(lease, now: now) == true)
                working.remove(lease)
                answering += open[lease].map { [$0] } ?? []
                actions = state.timePassed(now)
            default:
                guard let job = answering.popLast() else { break }
                #expect(open.removeValue(forKey: job.lease) != nil)
                actions = state.answered(job.lease, now: now)
            }
            for action in actions {
                switch action {
                case .work(let job, let end):
                    #expect(end > now && job.starts < 7)
                    let waiting = open.values.filter { !working.contains($0.lease) && !answering.contains($0) }
                    #expect(waiting.map(\.deadline).min() == job.deadline)
                    working.insert(job.lease)
                    #expect(working.count <= (job.starts >= 2 ? 1 : 2))
                case .answer(let job, _), .deadLetter(let job):
                    #expect(open[job.lease] != nil && !working.contains(job.lease))
                    answering.append(job)
                case .stop(let lease):
                    #expect(working.remove(lease) != nil)
                }
            }
            #expect(open.count <= 24 && Set(state.leases) == Set(open.keys))
            #expect(state.nextAnswer.map { $0 > now } ?? true)
        }
    }
}
