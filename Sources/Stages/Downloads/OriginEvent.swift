/// Something about origins that an operator counts.
package enum OriginEvent: String, Sendable, CaseIterable {
    /// A request waited for a place.
    case waited
    /// It was refused, because the origin failed too often; because it asked to be left alone; because no place came free.
    case refusedFailing, refusedPaused, refusedLate
    /// A request ended early for others that waited: it was too slow for its deadline, or its site had more than its share.
    case gaveWaySlow, gaveWayShare
    /// A request was made once more.
    case retried
    /// An origin began to be refused.
    case opened
}

/// What there is now.
package struct OriginUsage: Sendable, Equatable {
    /// How many are remembered, and how many of those are refused.
    package var origins = 0
    package var refused = 0
    package var inFlight = 0
    package var waiting = 0
}
