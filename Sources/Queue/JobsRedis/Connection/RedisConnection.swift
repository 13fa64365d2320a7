import Jobs
import Media
import NIOCore
import Synchronization
import Timing
import Values

/// A connection to the server. It opens on demand, and again after it was lost.
///
/// Many tasks share it and pipeline their commands. A command that was certainly not executed is sent again while there
/// is time. For any other failure the caller gets the error, and the command may have been executed.
final class RedisConnection: Sendable {
    private enum State {
        case closed(RedisError?)
        case opening(Task<any Channel, any Error>)
        case open(any Channel)
        case left
    }

    private struct Guarded {
        var state = State.closed(nil)
        var backOff = BackOff()
        /// The earliest time of the next connection attempt after a failure.
        var nextAttempt: Instant?

        mutating func failed(at now: Instant) { nextAttempt = now + backOff.next() }

        mutating func succeeded() {
            backOff.succeeded()
            nextAttempt = nil
        }
    }

    private enum NextStep {
        case use(any Channel)
        case awaitOpening(Task<any Channel, any Error>)
        case wait(until: Instant, after: RedisError?)
    }

    private let settings: RedisSettings
    private let dialer: RedisDialer
    private let time: any TimeSource
    /// The commands that log in, sent first on every new connection.
    private let greeting: Secret<[RedisCommand]>
    /// The commands that prepare the server for the queue, sent after the greeting.
    private let preparation: [RedisCommand]
    /// A check of the server's answer to INFO. It throws if the server is not suited to the queue.
    private let check: (@Sendable (String) throws(JobQueueError) -> Void)?
    private let guarded = Mutex(Guarded())

    /// Creates a connection. The server lists it under `name` among its clients.
    init(
        _ settings: RedisSettings,
        name: String,
        preparation: [RedisCommand] = [],
        check: (@Sendable (String) throws(JobQueueError) -> Void)? = nil,
        time: any TimeSource,
    ) throws(JobQueueError) {
        self.settings = settings
        self.preparation = preparation
        self.check = check
        self.time = time
        dialer = try RedisDialer(settings, time: time)
        var greeting: [RedisCommand] = []
        if let password = settings.password?.revealed {
            greeting.append(settings.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
        }
        greeting.append(RedisCommand("CLIENT", "SETNAME", name))
        if settings.database != 0 { greeting.append(RedisCommand("SELECT", "\(settings.database)")) }
        self.greeting = Secret(greeting)
    }

    /// Sends `commands` and returns their replies; an error among the replies is thrown. The server may block for
    /// `blocking` before it answers. If `repeatable`, the commands are also sent again after the connection was lost
    /// before the replies came.
    ///
    /// Throws `RedisError` and `CancellationError`.
    func send(
        _ commands: [RedisCommand],
        blocking: Duration = .zero,
        repeatable: Bool = false,
    ) async throws -> [RedisReply] {
        let deadline = time.now + settings.timeLimit
        while true {
            try Task.checkCancellation()
            do {
                return try await attempt(commands, until: deadline, blocking: blocking)
            } catch let failure as RedisError {
                let mayTryAgain = failure.wasNotDone || repeatable && failure.isLoss
                guard mayTryAgain, time.now < deadline else { throw failure }
            }
        }
    }

    /// Closes the connection for good.
    func leave() async {
        let state = guarded.withLock { guarded in
            defer { guarded.state = .left }
            return guarded.state
        }
        if case .open(let channel) = state { try? await channel.close() }
    }

    private func attempt(
        _ commands: [RedisCommand],
        until deadline: Instant,
        blocking: Duration,
    ) async throws -> [RedisReply] {
        let channel = try await channel(until: deadline)
        do {
            let replies = try await exchange(commands, on: channel, within: settings.timeLimit + blocking)
            guarded.withLock { $0.succeeded() }
            return replies
        } catch RedisError.forgotten {
            _ = try await exchange(preparation, on: channel, within: settings.timeLimit)
            return try await exchange(commands, on: channel, within: settings.timeLimit + blocking)
        } catch let failure as RedisError {
            // The name may resolve to another server by now, the one that accepts writes.
            if case .refusedForNow = failure { drop(channel, after: failure) }
            throw failure
        }
    }

    /// Sends commands on an open channel. Throws an error among the replies.
    private func exchange(
        _ commands: [RedisCommand],
        on channel: any Channel,
        within limit: Duration,
    ) async throws -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let exchange = Exchange(commands, deadline: time.now + limit)
        channel.writeAndFlush(exchange).whenFailure { exchange.fail(.unreachable("\($0)")) }
        let replies = try await exchange.value()
        for case .error(let text) in replies { throw RedisError(reply: text) }
        return replies
    }

    /// Returns the open channel, or opens a new one when the next attempt is due.
    private func channel(until deadline: Instant) async throws -> any Channel {
        while true {
            switch try nextStep() {
            case .use(let channel): return channel
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
            case .open(let channel):
                if channel.isActive { return .use(channel) }
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

    private func open() async throws -> any Channel {
        do {
            let channel = try await dialer.dial()
            do {
                _ = try await exchange(greeting.revealed, on: channel, within: settings.connectLimit)
                try await checkServer(on: channel)
                _ = try await exchange(preparation, on: channel, within: settings.timeLimit)
            } catch {
                channel.close(promise: nil)
                throw error
            }
            guard opened(channel) else { throw RedisError.unreachable("The connection was closed.") }
            return channel
        } catch RedisError.lost(let reason) {
            // Only the greeting was lost, not a caller's command.
            throw failed(.unreachable(reason))
        } catch let failure as RedisError {
            throw failed(failure)
        }
    }

    private func checkServer(on channel: any Channel) async throws {
        guard let check else { return }
        let info = try await exchange([RedisCommand("INFO")], on: channel, within: settings.timeLimit)
        do throws(JobQueueError) {
            try check(info.first?.text ?? "")
        } catch {
            throw RedisError.error(error)
        }
    }

    /// Stores the new channel. If the connection was closed meanwhile, closes the channel and returns `false`.
    private func opened(_ channel: any Channel) -> Bool {
        let isWanted = guarded.withLock { guarded in
            if case .left = guarded.state { return false }
            guarded.state = .open(channel)
            return true
        }
        if !isWanted { channel.close(promise: nil) }
        return isWanted
    }

    private func drop(_ channel: any Channel, after failure: RedisError) {
        channel.close(promise: nil)
        guarded.withLock { guarded in
            guard case .open(let current) = guarded.state, current === channel else { return }
            guarded.state = .closed(failure)
            guarded.failed(at: time.now)
        }
    }

    private func failed(_ failure: RedisError) -> RedisError {
        guarded.withLock { guarded in
            if case .left = guarded.state { return }
            guarded.state = .closed(failure)
            guarded.failed(at: time.now)
        }
        return failure
    }
}
