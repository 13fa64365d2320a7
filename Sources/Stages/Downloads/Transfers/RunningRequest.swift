import Media
import Timing

/// A running request, and an estimate of whether it will be done by its deadline.
struct RunningRequest {
    let origin: Origin
    let site: Site
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
    /// The share of the necessary rate below which a request is hopeless.
    private static let hopelessPromise = 0.5

    init(_ origin: Origin, _ site: Site, start: Instant, grace: Duration, deadline: Instant) {
        self.origin = origin
        self.site = site
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

    /// Returns the share of the missing bytes that will come by the deadline at the present rate. Below 1 the request
    /// will be late.
    mutating func promise(at now: Instant) -> Double {
        moveMarks(now)
        let left = (deadline - now) / .seconds(1)
        let passed = (now - marks.older.instant) / .seconds(1)
        guard left > 0, passed > 0 else { return 0 }
        let missing = expected.map { $0 - received } ?? max(Self.likelyByteCount - received, received)
        guard missing > 0 else { return .infinity }
        return Double(received - marks.older.byteCount) / passed * left / Double(missing)
    }

    mutating func preempt(_ cause: Preemption, promise: Double) {
        preemption = cause
        isHopeless = promise < Self.hopelessPromise
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
}
