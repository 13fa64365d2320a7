import Media
import Timing

/// A running request, and an estimate of whether it will be done by its deadline.
struct RunningRequest {
    let origin: Origin
    let site: Site
    /// A Boolean value that indicates whether the site was known when the request began.
    let isKnown: Bool
    /// The time from which the request may be judged. Until then an origin may prepare its answer.
    let judgedFrom: Instant
    private let deadline: Instant
    private var received = 0
    private var expected: Int?
    /// Two points in time and the bytes that had come by then. The rate is measured from the older one.
    private var marks: (older: Mark, newer: Mark)
    /// The reason why the request was told to give way, and is about to end.
    private(set) var preemption: Preemption?
    /// A Boolean value that indicates whether the request was so slow that its origin is to blame.
    private(set) var isHopeless = false

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

    init(_ origin: Origin, _ site: Site, isKnown: Bool, start: Instant, grace: Duration, deadline: Instant) {
        self.origin = origin
        self.site = site
        self.isKnown = isKnown
        self.deadline = deadline
        judgedFrom = start + grace
        marks = ((start, 0), (start, 0))
    }

    /// Records that `received` bytes of the body have come, of `expected` if its size is known.
    mutating func progressed(_ received: Int, of expected: Int?, at now: Instant) {
        moveMarks(now)
        self.received = received
        self.expected = expected
    }

    /// Returns an estimate from the present rate. `waiting` is the soonest deadline of a request that waits.
    ///
    /// The origin decides what it says about its length, and the sender what deadline there is. So a request that is below the
    /// least rate is slow whatever they say, and one that would outlast the waiting request is slow for that one.
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
