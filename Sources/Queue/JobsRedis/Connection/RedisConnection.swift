import Base
import Jobs
import Media
import NIOCore
import Synchronization

/// A connection to the server. It opens on demand, and again after it was lost.
///
/// Many tasks share it and pipeline their commands. A command that was certainly not executed is sent again while there
/// is time. For any other failure the caller gets the error, and the command may have been executed.
final class RedisConnection: Sendable {
    private enum State {
        case closed(RedisError?)
        case opening(Task<OpenLink, any Error>)
        case open(OpenLink)
        case left
    }

    private struct OpenLink: Sendable {
        var link: Link
        var barrier: ReplicaBarrier?
    }

    private struct Guarded {
        var state = State.closed(nil)
        var backOff: BackOff
        /// The earliest time of the next connection attempt after a failure.
        var nextAttempt: Instant?
        /// The reason why the last attempt to connect failed; `nil` if it succeeded.
        var lastFailure: RedisError?

        mutating func failed(at now: Instant) { nextAttempt = now + backOff.next() }

        mutating func succeeded() {
            backOff.succeeded()
            nextAttempt = nil
        }
    }

    private enum NextStep {
        case use(OpenLink)
        case awaitOpening(Task<OpenLink, any Error>)
        case wait(until: Instant, after: RedisError?)
    }

    private let opener: LinkOpener
    private let time: any TimeSource
    private let guarded: Mutex<Guarded>

    private var settings: RedisSettings { opener.settings }

    init(_ opener: LinkOpener, time: any TimeSource) {
        self.opener = opener
        self.time = time
        // A fail-over takes seconds. All that time one of the next attempts may find the new primary.
        let longest = opener.finder == nil ? Duration.seconds(2) : .milliseconds(500)
        guarded = Mutex(Guarded(backOff: BackOff(longest: longest)))
    }

    /// Sends `commands` and returns their replies; an error among the replies is thrown. The server may block for
    /// `blocking` before it answers. If `repeatable`, the commands are also sent again after the connection was lost
    /// before the replies came. If `isAcknowledged`, a queue that waits for replicas returns the replies only after the
    /// replicas have the changes.
    ///
    /// Throws `RedisError` and `CancellationError`.
    func send(
        _ commands: [RedisCommand],
        blocking: Duration = .zero,
        repeatable: Bool = false,
        isAcknowledged: Bool = false,
    ) async throws -> [RedisReply] {
        let deadline = time.now + settings.timeLimit
        while true {
            try Task.checkCancellation()
            do {
                let open = try await openLink(until: deadline)
                let replies = try await attempt(commands, on: open.link, blocking: blocking)
                if isAcknowledged { try await open.barrier?.pass() }
                return replies
            } catch let failure as RedisError {
                let mayTryAgain = failure.wasNotDone || repeatable && failure.isLoss
                guard mayTryAgain, time.now < deadline else { throw failure }
            }
        }
    }

    /// Returns once replicas have all changes so far, in a queue that waits for replicas.
    func confirm() async throws {
        try await openLink(until: time.now + settings.timeLimit).barrier?.pass()
    }

    /// The server of the open connection; `nil` without a connection.
    var server: HostAndPort? {
        if case .open(let open) = guarded.withLock(\.state) { open.link.server } else { nil }
    }

    /// The reason why there is no connection, if the last attempt failed.
    var failure: RedisError? { guarded.withLock(\.lastFailure) }

    /// Closes the connection unless it is one to `server`. The next command opens another one.
    func move(to server: HostAndPort) {
        guard case .open(let open) = guarded.withLock(\.state), open.link.server != server else { return }
        drop(open.link, after: .refusedForNow("The sentinels have made another server the primary."))
    }

    /// Closes the connection for good.
    func leave() async {
        let state = guarded.withLock { guarded in
            defer { guarded.state = .left }
            return guarded.state
        }
        if case .open(let open) = state { try? await open.link.channel.close() }
    }

    private func attempt(
        _ commands: [RedisCommand],
        on link: Link,
        blocking: Duration,
    ) async throws -> [RedisReply] {
        do {
            let replies = try await link.exchange(commands, within: settings.timeLimit + blocking)
            guarded.withLock { $0.succeeded() }
            return replies
        } catch RedisError.forgotten {
            try await opener.prepare(link)
            return try await link.exchange(commands, within: settings.timeLimit + blocking)
        } catch let failure as RedisError {
            // The name may resolve to another server by now, the one that accepts writes.
            if case .refusedForNow = failure { drop(link, after: failure) }
            throw failure
        }
    }

    /// Returns the open connection, or opens a new one when the next attempt is due.
    private func openLink(until deadline: Instant) async throws -> OpenLink {
        while true {
            switch try nextStep() {
            case .use(let open): return open
            case .awaitOpening(let task): return try await task.value
            case .wait(let due, let failure):
                guard due < deadline else { throw failure ?? .unreachable("Connecting failed.") }
                try await time.sleep(until: due)
            }
        }
    }

    private func nextStep() throws(RedisError) -> NextStep {
        let now = time.now
        let step: NextStep? = guarded.withLock { guarded in
            var lastFailure: RedisError?
            switch guarded.state {
            case .left: return nil
            case .opening(let task): return .awaitOpening(task)
            case .open(let open):
                if open.link.channel.isActive { return .use(open) }
                // All workers lose the server at the same moment. A random delay spreads their new connections.
                guarded.state = .closed(nil)
                guarded.failed(at: now)
            case .closed(let failure): lastFailure = failure
            }
            if let due = guarded.nextAttempt, due > now { return .wait(until: due, after: lastFailure) }
            let task = Task { try await open() }
            guarded.state = .opening(task)
            return .awaitOpening(task)
        }
        guard let step else {
            throw .error(JobQueueError(.unavailable, "The connection to the queue is closed already."))
        }
        return step
    }

    private func open() async throws -> OpenLink {
        do {
            let (link, barrier) = try await opener.open()
            let open = OpenLink(link: link, barrier: barrier)
            guard opened(open) else { throw RedisError.unreachable("The connection was closed.") }
            return open
        } catch RedisError.lost(let reason) {
            // Only the greeting was lost, not a caller's command.
            throw failed(.unreachable(reason))
        } catch let failure as RedisError {
            throw failed(failure)
        } catch {
            // Otherwise all callers would wait for this attempt forever.
            throw failed(.unreachable("\(error)"))
        }
    }

    /// Stores the new connection. If this one was closed meanwhile, closes it and returns `false`.
    private func opened(_ open: OpenLink) -> Bool {
        let isWanted = guarded.withLock { guarded in
            if case .left = guarded.state { return false }
            guarded.state = .open(open)
            guarded.lastFailure = nil
            return true
        }
        if !isWanted { open.link.close() }
        return isWanted
    }

    private func drop(_ link: Link, after failure: RedisError) {
        opener.finder?.doubt()
        link.close()
        guarded.withLock { guarded in
            guard case .open(let current) = guarded.state, current.link.channel === link.channel else { return }
            guarded.state = .closed(failure)
            guarded.failed(at: time.now)
        }
    }

    private func failed(_ failure: RedisError) -> RedisError {
        guarded.withLock { guarded in
            if case .left = guarded.state { return }
            guarded.state = .closed(failure)
            guarded.lastFailure = failure
            guarded.failed(at: time.now)
        }
        return failure
    }
}

// MARK: - Links

/// An open connection to one server. It ends with that server, and is never opened again.
struct Link: Sendable {
    let channel: any Channel
    let server: HostAndPort
    let time: any TimeSource

    /// Sends commands and returns their replies. Throws an error among the replies.
    func exchange(_ commands: [RedisCommand], within limit: Duration) async throws -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let exchange = Exchange(commands, deadline: time.now + limit)
        channel.writeAndFlush(exchange).whenFailure { exchange.fail(.unreachable("\($0)")) }
        let replies = try await exchange.value()
        for case .error(let text) in replies { throw RedisError(reply: text) }
        return replies
    }

    func close() { channel.close(promise: nil) }
}

// MARK: - Errors

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
        "A new job may or may not be in the queue. Send it again with the same id."

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
