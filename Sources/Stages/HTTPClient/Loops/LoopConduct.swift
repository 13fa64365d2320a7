import Timing

/// The judgement of one loop's thread: whether the processor time that its site costs is worth what the site brings.
/// State only, without a clock, a thread or a socket.
///
/// libcurl, OpenSSL and a resolver look at no clock while a peer keeps them busy, so another thread looks at the clock
/// of theirs (SECURITY N14). Each request that begins, each byte of a body and each second earn processor time. A loop that
/// spends more than it has earned gets the lowest priority; one that goes on so, or does not end its turn, is cut off.
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
        /// The processor time that one turn may take. An honest one reads at most 1.6 MB from each of 32 connections.
        var longestTurn: Duration = .milliseconds(250)
        /// The time in which a loop that was cut off must end, and in which one with low priority must read a command.
        var grace: Duration = .seconds(1)
        /// The time in which every loop must read a command, whatever keeps its thread.
        var longestUnread: Duration = .seconds(5)

        static let known = Rule()
        static let unknown = Rule(firstCredit: .milliseconds(30), mostDebt: .milliseconds(10))
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

    private let rule: Rule
    private var credit: Duration
    private var last: Use
    private var lastInstant: Instant
    /// The end of the last gap between two looks: the process itself stood still, so what is unread since before says nothing.
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

    /// Judges the loop by its use until now. Returns the verdict if it is another one than before. Verdicts only get worse.
    mutating func judge(_ use: Use, at now: Instant) -> Verdict? {
        let before = verdict
        if now - lastInstant > rule.grace { resumedAt = now }
        let unread = min(use.unread, now - resumedAt)
        settle(use, at: now)
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
    private mutating func settle(_ use: Use, at now: Instant) {
        let mebibytes = Double(use.byteCount - last.byteCount) / 1_048_576
        let earned =
            rule.creditPerRequest * (use.requestCount - last.requestCount) + rule.creditPerMebibyte * mebibytes
            + rule.creditPerSecond * ((now - lastInstant) / .seconds(1))
        let most = rule.mostCredit + rule.creditPerRequest * use.runningCount
        credit = min(most, credit + earned - (use.processorTime - last.processorTime))
        (last, lastInstant) = (use, now)
    }
}
