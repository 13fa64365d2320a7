import Base
import Media

/// A running request, and an estimate of whether it will be done by its deadline.
struct RunningRequest {
    let origin: Origin
    /// A Boolean value that indicates whether the site was known when the request began.
    let isKnown: Bool
    /// The time from which the request may be judged. Until then an origin may prepare its answer.
    private(set) var judgedFrom: Instant
    private let deadline: Instant
    private var received = 0
    private var expected: Int?
    /// Two points in time and the bytes that had come by then. The rate is measured from the older one.
    private var marks: (older: Mark, newer: Mark)
    /// The reason why the request was told to give way, and is about to end.
    private(set) var preemption: Preemption?
    /// A Boolean value that indicates whether the request was so slow that its origin is to blame.
    private(set) var isHopeless = false
    /// The time since which the receiver takes no bytes, and for how long it took none before.
    private var suspendedSince: Instant?
    private var suspendedTime: Duration = .zero

    private typealias Mark = (instant: Instant, byteCount: Int)

    /// The shortest time over which the rate is measured, once so much time has passed.
    private static let window: Duration = .seconds(2)
    /// The assumed size of a source of unknown size, in bytes: this, or twice the bytes that have come.
    private static let likelyByteCount = 65_536
    /// The rate in bytes a second below which a request is slow, however little its origin says is missing (SECURITY N18).
    private static let leastRate = 1000.0
    /// The share of the necessary rate below which a request is hopeless.
    private static let hopelessPromise = 0.5

    /// An estimate of whether a request will be done in time.
    struct Promise: Equatable {
        /// The share of the missing bytes that will come by the deadline, or by that of the request that waits, whichever is
        /// sooner. Below 1 the request may have to give way.
        var share: Double
        /// A Boolean value that indicates whether the request is so slow that its site is to blame.
        var isHopeless: Bool
    }

    init(_ origin: Origin, isKnown: Bool, start: Instant, grace: Duration, deadline: Instant) {
        self.origin = origin
        self.isKnown = isKnown
        self.deadline = deadline
        judgedFrom = start + grace
        marks = ((start, 0), (start, 0))
    }

    /// Extends the grace of a request that has no byte yet.
    mutating func awaitFirstByte(until end: Instant) {
        if received == 0 { judgedFrom = max(judgedFrom, end) }
    }

    /// Records that `received` bytes of the body have come, of `expected` if its size is known.
    mutating func progressed(_ received: Int, of expected: Int?, at now: Instant) {
        moveMarks(now)
        self.received = received
        self.expected = expected
    }

    var isSuspended: Bool { suspendedSince != nil }

    mutating func suspend(at now: Instant) { suspendedSince = now }

    /// Records that the receiver takes bytes again. From `end` the request may be judged, by what comes from now on.
    mutating func resume(at now: Instant, grace end: Instant) {
        suspendedTime = suspendedTime(at: now)
        suspendedSince = nil
        judgedFrom = end
        marks = ((now, received), (now, received))
    }

    /// Returns for how long the receiver took no bytes, which is not the origin's time.
    func suspendedTime(at now: Instant) -> Duration {
        suspendedTime + (suspendedSince.map { now - $0 } ?? .zero)
    }

    /// Returns an estimate from the present rate. `waiting` is the soonest deadline of a request that waits.
    ///
    /// An origin can declare any length, and a sender can set any deadline. So a request below the minimum rate is slow, and
    /// a request that would outlast the waiting request is slow in comparison with that request.
    mutating func promise(at now: Instant, before waiting: Instant?) -> Promise {
        moveMarks(now)
        let left = (deadline - now) / .seconds(1)
        let passed = (now - marks.older.instant) / .seconds(1)
        guard left > 0, passed > 0 else { return Promise(share: 0, isHopeless: true) }
        let missing = expected.map { $0 - received } ?? max(Self.likelyByteCount - received, received)
        guard missing > 0 else { return Promise(share: .infinity, isHopeless: false) }
        let rate = Double(received - marks.older.byteCount) / passed
        let own = min(rate * left / Double(missing), rate / Self.leastRate)
        let shared = waiting.map { rate * max(0, ($0 - now) / .seconds(1)) / Double(missing) } ?? own
        return Promise(share: min(own, shared), isHopeless: own < Self.hopelessPromise)
    }

    mutating func preempt(_ cause: Preemption, isHopeless: Bool) {
        preemption = cause
        self.isHopeless = isHopeless
    }

    private mutating func moveMarks(_ now: Instant) {
        guard now - marks.newer.instant >= Self.window else { return }
        marks = (marks.newer, (now, received))
    }
}

/// The reason why a running request ends early for others.
enum Preemption: Sendable, Equatable {
    /// The bytes come too slowly for the deadline.
    case slow
    /// The site has more than its fair share of all requests.
    case share
    /// The process ends before the bytes would have come.
    case ending
}

// MARK: - Sites

/// The running requests of one site, and whether its sources come at a useful rate.
struct SiteRecord {
    /// The number of the site's origins that are remembered.
    var originCount = 0
    var inFlight = 0
    /// A Boolean value that indicates whether a source of the site has come, and none was hopelessly slow since. Some permits are
    /// kept for sites that are known.
    var isKnown = false
    var waiting = 0
    /// The number of the site's requests that were told to give way, and have not ended yet.
    var ending = 0
    /// The circuit breaker for all origins of the site together, because names cost their owner nothing. It opens when
    /// most of the site's requests are too slow while others wait.
    var breaker: CircuitBreaker

    var isActive: Bool { inFlight + waiting > 0 }
}
