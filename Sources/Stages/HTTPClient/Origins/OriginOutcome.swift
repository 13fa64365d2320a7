import Media
package import Timing

/// The consequences of a request for the origin that it went to.
package struct OriginOutcome: Sendable, Equatable {
    package var health = CircuitBreaker.Outcome.unknown
    /// A Boolean value that indicates whether the origin needs fewer requests.
    package var isOverloaded = false
    /// The pause that the origin asked for.
    package var pause: Duration?
    /// A Boolean value that indicates whether the request ended early because others waited.
    package var wasPreempted = false

    package static let worked = OriginOutcome(health: .success)
    package static let unknown = OriginOutcome()
}

extension HTTPResult {
    /// Returns the outcome for the origin. `hadTime` tells whether a timeout is the origin's fault, `isOver` whether
    /// the file was ended because its time was over.
    package func outcome(hadTime: Bool, isOver: Bool) -> OriginOutcome {
        // The code that ended the request knows how slow it was.
        if wasPreempted { return OriginOutcome(wasPreempted: true) }
        if isHeld { return OriginOutcome(health: .failure, isOverloaded: true) }
        switch failure?.reason {
        case nil: return .worked
        case .connectionFailed where isConnected: return OriginOutcome(health: .failure)
        case .connectionFailed, .refusedAddress, .tlsFailed: return OriginOutcome(health: .unreachable)
        case .stalled: return OriginOutcome(health: .failure, isOverloaded: true)
        case .timedOut, .cancelled:
            guard isOver || failure?.reason == .timedOut else { return .unknown }
            // A slow origin has not failed: the bytes so far are often enough.
            if isFlowing { return .worked }
            return hadTime ? OriginOutcome(health: .failure, isOverloaded: true) : .unknown
        case .httpStatus where status == 429: return OriginOutcome(isOverloaded: true, pause: retryAfter)
        case .httpStatus where status.map { $0 >= 500 } ?? false:
            return OriginOutcome(health: .failure, isOverloaded: true, pause: retryAfter)
        case .truncated, .resourceLimit, .internalError, .originUnavailable, .workerStopped: return .unknown
        // The origin did answer, whatever the answer was.
        default: return .worked
        }
    }
}
