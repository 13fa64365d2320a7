import Base
import CLinux
import Glibc
import Synchronization

/// The watch over the threads of all loops: a thread that looks at each loop a hundred times a second while any has requests.
///
/// It judges a loop by the clock of the loop's own thread, not by the time that passes: on a full machine an honest thread
/// is slow, too.
final class LoopWatch: Sendable {
    static let ofThisProcess = LoopWatch()

    private struct State {
        var loops: [ObjectIdentifier: TransferLoop] = [:]
        /// The answers to the heartbeat's questions.
        var answers: [@Sendable () -> Void] = []
        /// A Boolean value that indicates whether the thread waits until it is woken.
        var isResting = false
    }

    private static let name = "transfers"
    /// The time between two looks, in milliseconds.
    private static let pause: Int32 = 10

    private let state = Mutex(State())
    /// Not a semaphore: its time limit counts on the wall clock, which an operator may set back.
    private let bell = eventfd(0, Int32(EFD_CLOEXEC))
    private let heartbeat = Mutex<LoopHeartbeat?>(nil)

    private init() {
        precondition(bell >= 0, "The process cannot watch downloads. Raise the limit of open files (ulimit -n).")
    }

    /// Begins to show that the watch is alive, before there is a loop.
    static func begin() { ofThisProcess.start() }

    func add(_ loop: TransferLoop) {
        start()
        state.withLock { $0.loops[ObjectIdentifier(loop)] = loop }
        wake()
    }

    /// Has the watch look at all loops again, if it rests.
    func wake() {
        let wasResting = state.withLock { state in
            defer { state.isResting = false }
            return state.isResting
        }
        if wasResting { eventfd_write(bell, 1) }
    }

    func remove(_ loop: TransferLoop) { state.withLock { $0.loops[ObjectIdentifier(loop)] = nil } }

    /// Starts the thread once. Everything that transfers needs the watch, so its heartbeat makes the worker ready.
    private func start() {
        heartbeat.withLock { heartbeat in
            guard heartbeat == nil else { return }
            heartbeat = LoopHeartbeat(Self.name) { answer in
                self.state.withLock { $0.answers.append(answer) }
                self.wake()
            }
            do {
                try OwnThread.start(Self.name, isUrgent: true) { LoopWatch.ofThisProcess.run() }
            } catch {
                preconditionFailure("The process cannot start a thread. Raise the limit of threads (ulimit -u).")
            }
        }
    }

    private func run() -> Never {
        while true {
            let (loops, answers) = state.withLock { state in
                defer { state.answers = [] }
                return (state.loops.values, state.answers)
            }
            for answer in answers { answer() }
            let busyCount = loops.count(where: \.isBusy)
            for loop in loops { loop.examine(among: busyCount) }
            state.withLock { $0.isResting = true }
            // What came before is seen here; what comes later wakes the thread.
            if isIdle {
                wait(-1)
            } else {
                state.withLock { $0.isResting = false }
                wait(Self.pause)
            }
        }
    }

    /// Waits until `wake`, or for this many milliseconds on the monotonic clock.
    private func wait(_ milliseconds: Int32) {
        var request = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, milliseconds) == 1 else { return }
        var count: eventfd_t = 0
        unsafe eventfd_read(bell, &count)
    }

    private var isIdle: Bool {
        let (loops, answers) = state.withLock { ($0.loops.values, $0.answers) }
        return answers.isEmpty && !loops.contains(where: \.isBusy)
    }
}

/// The identity of a running thread, by which another thread reads its processor clock and sets its priority.
struct ThreadIdentity: Sendable {
    private let clock: clockid_t
    private let number: pid_t

    /// Returns the calling thread's identity; `nil` if the kernel gives no clock for it.
    static func ofThisThread() -> ThreadIdentity? {
        var clock = clockid_t()
        guard unsafe pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return nil }
        return ThreadIdentity(clock: clock, number: clinux_thread_number())
    }

    /// The processor time that the thread has used; `nil` after its end.
    var processorTime: Duration? {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Sets the thread's nice value. Any process may raise the nice values of its own threads.
    ///
    /// Not SCHED_IDLE: a thread that never runs keeps the locks that it has, such as those of the allocator.
    func yield(_ nice: Int32) { _ = clinux_yield_thread(number, nice) }
}

// MARK: - Conduct

/// The judgement of one loop's thread: whether the processor time that its site costs is worth what the site brings.
/// State only, without a clock, a thread or a socket.
///
/// libcurl and OpenSSL check no clock while a peer keeps them busy, so another thread watches the processor time of their
/// thread (SECURITY N14). Each request that begins, each byte of a body and each second earn processor time. A loop that
/// uses more than it has earned gets the lowest priority. If it continues to do so, or does not end its turn, it is cut off.
struct LoopConduct: Sendable {
    struct Rule: Sendable, Equatable {
        /// The processor time that a loop has at first, and the most that it may save beside that for its present requests.
        var firstCredit: Duration = .milliseconds(20)
        var mostCredit: Duration = .milliseconds(250)
        /// The earnings: for a request, mostly for the TLS handshake, which takes 1 to 3 ms; for a mebibyte of a body, of which
        /// decryption takes about 1 ms; and for a second.
        var creditPerRequest: Duration = .milliseconds(10)
        var creditPerMebibyte: Duration = .milliseconds(100)
        var creditPerSecond: Duration = .milliseconds(50)
        /// The debt at which a loop is cut off. A site that has not answered yet has less.
        var mostDebt: Duration = .milliseconds(50)
        /// The processor time that one turn may take. An honest turn reads at most 1.6 MB from each of 32 connections.
        var longestTurn: Duration = .milliseconds(250)
        /// The time in which a loop that was cut off must end, and in which a loop with low priority must read a command.
        var grace: Duration = .seconds(1)
        /// The time in which every loop must read a command.
        var longestUnread: Duration = .seconds(5)

        /// The processor time that all loops together earn by their seconds, in a second, and that they may save beside that
        /// for their present requests: half of the processors. However many sites were honest once, they get no more than that
        /// together.
        var creditOfAll: Duration = .milliseconds(500) * MachineLimits.ofThisProcess.processorCount
        var mostCreditOfAll: Duration = .seconds(1)

        static let known = Rule()
        /// A loop that waits for its turn must not save up processor time for an attack.
        static let unknown = Rule(
            firstCredit: .milliseconds(30),
            mostCredit: .milliseconds(30),
            creditPerSecond: .milliseconds(5),
            mostDebt: .milliseconds(10),
        )

        /// Returns the rule for one of `loopCount` loops that work.
        func shared(among loopCount: Int) -> Rule {
            var rule = self
            rule.creditPerSecond = min(creditPerSecond, creditOfAll / max(1, loopCount))
            rule.mostCredit = min(mostCredit, max(Self.unknown.mostCredit, mostCreditOfAll / max(1, loopCount)))
            return rule
        }
    }

    /// The use of a loop from its start until now.
    struct Use: Sendable, Equatable {
        var processorTime: Duration = .zero
        /// The numbers of requests that have begun, and of those that have not ended.
        var requestCount = 0
        var runningCount = 0
        var byteCount = 0
        /// The number of the present turn; `nil` while the loop waits for its sockets.
        var turn: Int?
        /// The time for which the oldest command has not been read.
        var unread: Duration = .zero
    }

    enum Verdict: Sendable, Equatable {
        case good
        /// The loop gets the lowest priority.
        case demoted
        /// The loop's sockets are shut down and its transfers fail.
        case cutOff
        /// The thread did not end although it was cut off. Nobody waits for it any longer.
        case abandoned
    }

    private var rule: Rule
    private var credit: Duration
    private var last: Use
    private var lastInstant: Instant
    /// The end of the last gap between two looks. The process itself was stopped, so older unread commands prove nothing.
    private var resumedAt: Instant
    /// The turn that was seen last, and the processor time at which it was first seen.
    private var turn: (number: Int, processorTime: Duration)?
    private var cutOffAt: Instant?
    private(set) var verdict = Verdict.good

    init(_ rule: Rule = .known, at now: Instant) {
        self.rule = rule
        credit = rule.firstCredit
        last = Use()
        lastInstant = now
        resumedAt = now
    }

    /// Judges the loop by the rule for known sites from now on: an answer has come.
    mutating func becomeKnown() { rule = .known }

    /// Judges the loop by its use until now, as one of `loopCount` that work. Returns the verdict if it is another one than
    /// before. Verdicts only get worse.
    mutating func judge(_ use: Use, among loopCount: Int = 1, at now: Instant) -> Verdict? {
        let before = verdict
        if now - lastInstant > rule.grace { resumedAt = now }
        let unread = min(use.unread, now - resumedAt)
        settle(use, rule.shared(among: loopCount), at: now)
        if let number = use.turn, turn?.number != number { turn = (number, use.processorTime) }
        let turnTime = use.turn == nil ? .zero : use.processorTime - (turn?.processorTime ?? use.processorTime)
        switch verdict {
        case .good where credit < .zero: verdict = .demoted
        case .demoted where unread >= rule.grace, .good where unread >= rule.longestUnread: cutOff(at: now)
        default: break
        }
        if verdict != .abandoned, cutOffAt == nil, credit < .zero - rule.mostDebt || turnTime > rule.longestTurn {
            cutOff(at: now)
        }
        if let cutOffAt, now - cutOffAt >= rule.grace { verdict = .abandoned }
        return verdict == before ? nil : verdict
    }

    private mutating func cutOff(at now: Instant) { (verdict, cutOffAt) = (.cutOff, now) }

    /// Adds what the loop has earned since the last look to its credit, and takes what it has spent.
    private mutating func settle(_ use: Use, _ rule: Rule, at now: Instant) {
        let mebibytes = Double(use.byteCount - last.byteCount) / 1_048_576
        let earned =
            rule.creditPerRequest * (use.requestCount - last.requestCount) + rule.creditPerMebibyte * mebibytes
            + rule.creditPerSecond * ((now - lastInstant) / .seconds(1))
        let most = rule.mostCredit + rule.creditPerRequest * use.runningCount
        credit = min(most, credit + earned - (use.processorTime - last.processorTime))
        (last, lastInstant) = (use, now)
    }
}
