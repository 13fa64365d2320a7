import Media
import Timing

/// What a request says of the origin that it went to.
struct OriginOutcome: Sendable, Equatable {
    var health = CircuitBreaker.Outcome.unknown
    /// Whether less should be asked of it.
    var isOverloaded = false
    /// For how long it asked to be left alone.
    var pause: Duration?
    /// Whether it ended early because others waited.
    var gaveWay = false

    static let worked = OriginOutcome(health: .success)
    static let unknown = OriginOutcome()
}

extension TransferResult {
    /// `hadTime`: whether a timeout is the origin's fault. `isOver`: the file was ended because time was over.
    func outcome(hadTime: Bool, isOver: Bool) -> OriginOutcome {
        // How slow it was is known where that was decided.
        if gaveWay { return OriginOutcome(gaveWay: true) }
        switch failure?.reason {
        case nil: return .worked
        case .connectionFailed where isConnected: return OriginOutcome(health: .failure)
        case .connectionFailed, .refusedAddress, .tlsFailed: return OriginOutcome(health: .unreachable)
        case .stalled: return OriginOutcome(health: .failure, isOverloaded: true)
        case .timedOut, .cancelled:
            guard isOver || failure?.reason == .timedOut else { return .unknown }
            // It is slow, which is no failure: what has come by then is often enough.
            if isFlowing { return .worked }
            return hadTime ? OriginOutcome(health: .failure, isOverloaded: true) : .unknown
        case .httpStatus where status == 429: return OriginOutcome(isOverloaded: true, pause: retryAfter)
        case .httpStatus where status.map { $0 >= 500 } ?? false:
            return OriginOutcome(health: .failure, isOverloaded: true, pause: retryAfter)
        case .truncated, .resourceLimit, .internalError: return .unknown
        // It did answer, whatever it was.
        default: return .worked
        }
    }
}
