package import Media

/// An event at an origin, for metrics and logs.
package enum OriginEvent: Sendable, Equatable {
    /// A request waited for a permit.
    case waited
    /// A request was refused: the origin failed too often, it asked for a pause, or no permit became free in time.
    case refusedFailing, refusedPaused, refusedLate
    /// A request ended early for others that waited: it was too slow for its deadline, or its site had more than its
    /// share.
    case preemptedSlow, preemptedForShare
    /// A request was retried.
    case retried
    /// The circuit breaker of an origin on this host opened.
    case opened(host: String)
    /// A site's peer kept its thread busy without sending data, and was cut off.
    case cutOff(host: String)
    /// A host was not asked. Only the operator may learn the true cause.
    case refusedHost(AttachmentFailure.ConcealedCause)
    /// The credentials of a rule could not be read. Only the operator may learn the true cause.
    case lackedCredentials(AttachmentFailure.ConcealedCause)
    /// An origin refused the access of a rule with this status: the key is wrong, has expired, or lacks a right.
    case refusedAccess(rule: String, status: Int)
}

/// The present load on origins.
package struct OriginUsage: Sendable, Equatable {
    /// The numbers of remembered origins, and of those among them that are refused.
    package var origins = 0
    package var refused = 0
    package var inFlight = 0
    package var waiting = 0
}
