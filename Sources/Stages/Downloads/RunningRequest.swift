import Media
import Timing

/// A request that is under way, and how likely it is to be done by its deadline.
struct RunningRequest {
    let origin: Origin
    let site: Site
    /// When it may be judged: until then an origin may prepare its answer.
    let judgedFrom: Instant
    private let deadline: Instant
    private var received = 0
    private var expected: Int?
    /// Two points in time and the bytes that had come by then; the rate is measured from the older one.
    private var marks: (older: Mark, newer: Mark)
    /// Why it was told to give way, and is about to end.
    private(set) var givesWay: GivingWay?
    /// Whether it was so slow that its origin is to blame.
    private(set) var isHopeless = false

    private typealias Mark = (instant: Instant, byteCount: Int)

    /// The rate is that of so long at least, once so much time has passed.
    private static let window: Duration = .seconds(2)
    /// A source of unknown size is taken to have so many bytes, or as many again as have come.
    private static let likelyByteCount = 65_536
    /// With less than half of the rate that it needs, a request is hopeless.
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

    /// The share of the missing bytes that will come by the deadline at the present rate; below 1 it will be late.
    mutating func promise(at now: Instant) -> Double {
        moveMarks(now)
        let left = (deadline - now) / .seconds(1)
        let passed = (now - marks.older.instant) / .seconds(1)
        guard left > 0, passed > 0 else { return 0 }
        let missing = expected.map { $0 - received } ?? max(Self.likelyByteCount - received, received)
        guard missing > 0 else { return .infinity }
        return Double(received - marks.older.byteCount) / passed * left / Double(missing)
    }

    mutating func giveWay(_ cause: GivingWay, promise: Double) {
        givesWay = cause
        isHopeless = promise < Self.hopelessPromise
    }

    private mutating func moveMarks(_ now: Instant) {
        guard now - marks.newer.instant >= Self.window else { return }
        marks = (marks.newer, (now, received))
    }
}

/// Why a request that is under way ends early, when others wait.
enum GivingWay: Sendable, Equatable {
    /// Its bytes come too slowly to be there by its deadline.
    case slow
    /// Its site has more than its fair share of all requests.
    case share
}
