import Jobs

/// A failed exchange with the server. The case tells whether the exchange may be repeated.
enum RedisError: Error, Equatable {
    /// The commands were not sent.
    case unreachable(String)
    /// The connection was lost after the commands were sent. They may have been executed.
    case lost(String)
    /// The server refuses commands for now: it loads its data, or is a replica.
    case refusedForNow(String)
    /// The server was flushed and has lost the scripts or the consumer group.
    case forgotten
    /// The server's memory is full. The commands were not executed.
    case outOfMemory
    /// The commands were executed, but replicas may not have the changes. A fail-over may lose them.
    case unconfirmed(String)
    case error(JobQueueError)

    /// Returns the failure for an invalid reply. `what` names it.
    static func invalidReply(_ what: String) -> RedisError {
        .error(JobQueueError(.broken, "Redis sent an invalid reply: \(what)."))
    }

    /// Interprets an error reply. For errors in scripts, Redis 6 puts other words before the code.
    init(reply text: String) {
        let codes = text.split(separator: " ").prefix(16).map { $0.drop { $0 == "-" } }
        let has = { (code: Substring) in codes.contains(code) }
        let passing: Set<Substring> = [
            "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "NOREPLICAS",
            "UNBLOCKED",
        ]
        self =
            if has("NOSCRIPT") || has("NOGROUP") || text.contains("no such key") {
                .forgotten
            } else if codes.contains(where: passing.contains) {
                .refusedForNow("Redis answered: \(text)")
            } else if has("OOM") {
                .outOfMemory
            } else if has("MISCONF") {
                .error(JobQueueError(.noSpace, "Redis cannot write to its disk: \(text)"))
            } else if has("MISMATCH") {
                .error(JobQueueError(.misconfigured, "Another version of attachd uses this queue: \(text)"))
            } else if has("BADLIMIT") {
                .error(JobQueueError(.misconfigured, "The limits in the queue's 'meta' are invalid: \(text)"))
            } else if has("WRONGPASS") || has("NOAUTH") || has("NOPERM") || text.contains("invalid password") {
                .error(JobQueueError(.misconfigured, "Redis refuses this user: \(text)"))
            } else {
                .error(JobQueueError(.broken, "Redis answered with an error: \(text)"))
            }
    }

    /// A Boolean value that indicates whether the commands were certainly not executed and may be sent again.
    var wasNotDone: Bool {
        switch self {
        case .unreachable, .refusedForNow: true
        case .forgotten, .lost, .outOfMemory, .unconfirmed, .error: false
        }
    }

    var isLoss: Bool { if case .lost = self { true } else { false } }

    private static let uncertainty =
        "A job that was to be added may or may not be in the queue; with the same id it can be sent again."

    /// Returns the error to report to the queue's users.
    func queueError(at address: String) -> JobQueueError {
        switch self {
        case .unreachable(let reason), .refusedForNow(let reason):
            JobQueueError(.unavailable, "The queue's Redis at \(address) cannot answer now. \(reason)")
        case .lost(let reason):
            JobQueueError(
                .unavailable,
                "The queue's Redis at \(address) cannot answer now. \(reason) \(Self.uncertainty)"
            )
        case .unconfirmed(let reason):
            JobQueueError(
                .unavailable,
                "The replicas of the queue's Redis at \(address) may not have this change. \(reason) \(Self.uncertainty)"
            )
        case .forgotten:
            JobQueueError(
                .unavailable,
                "The Redis at \(address) loses its data. Check whether another client flushes it."
            )
        case .outOfMemory:
            JobQueueError(.noSpace, "The Redis at \(address) has used up its 'maxmemory'. Raise it, or free memory.")
        case .error(let error): error
        }
    }
}
