import Jobs
import RedisWire

/// Why an exchange with the server failed, and so whether it may be tried again.
enum RedisFailure: Error, Equatable {
    /// Nothing was sent.
    case unreachable(String)
    /// What was sent may have been done or not.
    case lost(String)
    /// The server does nothing for now: it loads its data, or is a replica.
    case refusedForNow(String)
    /// The server was emptied, and knows the scripts or the streams' group no more.
    case forgotten
    /// The server's memory is full. Nothing was done.
    case outOfMemory
    case error(JobQueueError)

    /// The server said something that makes no sense.
    static func invalidReply(_ what: String) -> RedisFailure {
        .error(JobQueueError(.broken, "Redis sent what is no answer: \(what)."))
    }

    /// What an error reply means. In a script Redis 6 puts words of its own before the code.
    init(reply text: String) {
        let codes = text.split(separator: " ").prefix(16).map { $0.drop { $0 == "-" } }
        let has = { (code: Substring) in codes.contains(code) }
        let passing: Set<Substring> = [
            "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "NOREPLICAS",
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
                .error(JobQueueError(.misconfigured, "The limits in the queue's 'meta' make no sense: \(text)"))
            } else if has("WRONGPASS") || has("NOAUTH") || has("NOPERM") || text.contains("invalid password") {
                .error(JobQueueError(.misconfigured, "Redis refuses this user: \(text)"))
            } else {
                .error(JobQueueError(.broken, "Redis answered with an error: \(text)"))
            }
    }

    /// Whether the same commands may be sent again: they were surely not done, and may be before long.
    var wasNotDone: Bool {
        switch self {
        case .unreachable, .refusedForNow: true
        case .forgotten, .lost, .outOfMemory, .error: false
        }
    }

    var isLoss: Bool { if case .lost = self { true } else { false } }

    /// What the queue's users get to know.
    func queueError(at address: String) -> JobQueueError {
        switch self {
        case .unreachable(let reason), .lost(let reason), .refusedForNow(let reason):
            JobQueueError(.unavailable, "The queue's Redis at \(address) can't answer now. \(reason)")
        case .forgotten:
            JobQueueError(.unavailable, "The Redis at \(address) forgets what it was told; is it being emptied?")
        case .outOfMemory:
            JobQueueError(.noSpace, "The Redis at \(address) has used up its 'maxmemory'.")
        case .error(let error): error
        }
    }
}
