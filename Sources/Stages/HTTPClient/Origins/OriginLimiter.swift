package import Base
package import Media
import Synchronization

/// A limiter that every request passes, so that an origin never gets more than it can take, and a failing origin never
/// delays others.
package final class OriginLimiter: Sendable {
    private struct Guarded {
        var table: OriginTable
        var waiting: [UInt64: Waiter<OriginTable.Decision>] = [:]
        /// The closures that end running requests, by the numbers of their permits.
        var onPreemption: [UInt64: @Sendable (Preemption) -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    package let rule: OriginRule
    private let time: any TimeSource
    private let recorder: any EventRecorder<OriginEvent>
    private let guarded: Mutex<Guarded>
    private let alarm: Alarm

    package init(_ rule: OriginRule, time: any TimeSource, recorder: any EventRecorder<OriginEvent>) {
        self.rule = rule
        self.time = time
        self.recorder = recorder
        guarded = Mutex(Guarded(table: OriginTable(rule)))
        alarm = Alarm(time)
    }

    package var usage: OriginUsage {
        guarded.withLock { guarded in
            OriginUsage(
                origins: guarded.table.originCount,
                refused: guarded.table.refusingCount,
                inFlight: guarded.table.inFlight,
                waiting: guarded.table.waiterCount,
            )
        }
    }

    /// Waits until a request to `origin` may be made, and returns its permit. Throws the reason if it may not be made
    /// by `deadline`.
    package func enter(_ origin: Origin, until deadline: Instant) async throws(OriginLimitError) -> OriginPermit {
        let number = guarded.withLock { guarded in
            guarded.lastNumber += 1
            return guarded.lastNumber
        }
        let asked = time.now
        let decision = await withWaiter { (waiter: Waiter<OriginTable.Decision>) in
            change { guarded in
                guarded.waiting[number] = waiter
                guarded.table.ask(number, origin, until: deadline, at: asked)
                // A request that is already cancelled must not take a permit from others.
                if Task.isCancelled { guarded.table.cancel(number) }
            }
            return nil
        } onCancel: { _ in
            change { $0.table.cancel(number) }
        }
        switch decision {
        case .success(let permit):
            if permit.start > asked { recorder.record(.waited) }
            return OriginPermit(permit, of: self)
        case .failure(let refusal):
            count(refusal)
            throw refusal
        }
    }

    /// Returns whether a failed request may be retried.
    package func mayRetry(_ origin: Origin, until deadline: Instant) -> Bool {
        let now = time.now
        guard guarded.withLock({ $0.table.mayRetry(origin, until: deadline, at: now) }) else { return false }
        recorder.record(.retried)
        return true
    }

    /// Sets the number of requests that wait elsewhere for the permits of running ones.
    package func setDemand(_ count: Int) {
        let now = time.now
        change { $0.table.setDemand(count, at: now) }
    }

    /// Begins the end of the process: what waits may begin for a little while only, and what would not be done in `limit` ends.
    package func drain(within limit: Duration) {
        let now = time.now
        change { $0.table.drain(until: now + limit, at: now) }
    }

    fileprivate func leave(_ permit: OriginTable.Permit, _ outcome: OriginOutcome) {
        let now = time.now
        var opened = false
        change { guarded in
            guarded.onPreemption[permit.number] = nil
            opened = guarded.table.leave(permit, outcome, at: now, jitter: .random(in: 0...1))
        }
        if opened { recorder.record(.opened(host: permit.origin.host)) }
    }

    fileprivate func answered(_ permit: OriginTable.Permit) {
        let now = time.now
        change { $0.table.answered(permit, at: now) }
    }

    fileprivate func suspend(_ permit: OriginTable.Permit) {
        let now = time.now
        change { $0.table.suspend(permit, at: now) }
    }

    fileprivate func resume(_ permit: OriginTable.Permit) {
        let now = time.now
        change { $0.table.resume(permit, at: now) }
    }

    fileprivate func progressed(_ permit: OriginTable.Permit, _ received: Int, of expected: Int?) {
        let now = time.now
        guarded.withLock { $0.table.progressed(permit, received, of: expected, at: now) }
    }

    fileprivate func onPreemption(_ permit: OriginTable.Permit, _ action: @escaping @Sendable (Preemption) -> Void) {
        let cause = guarded.withLock { guarded -> Preemption? in
            guard let request = guarded.table.running[permit.number] else { return nil }
            if request.preemption == nil { guarded.onPreemption[permit.number] = action }
            return request.preemption
        }
        if let cause { action(cause) }
    }

    private func count(_ refusal: OriginLimitError) {
        switch refusal {
        case .failing: recorder.record(.refusedFailing)
        case .askedToWait: recorder.record(.refusedPaused)
        case .late, .crowded: recorder.record(.refusedLate)
        case .cancelled: break
        }
    }

    /// Changes the table, wakes the affected waiters, and sets a timer for the table's next decision.
    private func change(_ body: (inout Guarded) -> Void) {
        let now = time.now
        let (woken, preempted, due) = guarded.withLock { guarded in
            body(&guarded)
            let preempted = guarded.table.takePreempted().map { number, cause in
                (guarded.onPreemption.removeValue(forKey: number), cause)
            }
            let woken = guarded.table.takeSettled().compactMap { number, decision in
                guarded.waiting.removeValue(forKey: number).map { ($0, decision) }
            }
            return (woken, preempted, guarded.table.nextDue(after: now))
        }
        for (action, cause) in preempted {
            recorder.record(cause == .share ? .preemptedForShare : .preemptedSlow)
            action?(cause)
        }
        for (waiter, decision) in woken { waiter.resume(returning: decision) }
        alarm.set(for: due) { [weak self, time] in
            let now = time.now
            self?.change { $0.table.settle(at: now) }
        }
    }
}

/// The permit for one request. It ends with the request or with this object; others have it while the receiver pauses.
package final class OriginPermit: Sendable {
    private let limiter: OriginLimiter
    private let permit: OriginTable.Permit
    private let hasLeft = Atomic(false)

    fileprivate init(_ permit: OriginTable.Permit, of limiter: OriginLimiter) {
        self.permit = permit
        self.limiter = limiter
    }

    deinit { leave(.unknown) }

    /// Records that the requested bytes begin to arrive.
    func answered() { limiter.answered(permit) }

    /// Records that `received` bytes of the body have come, of `expected` if its size is known.
    func progressed(_ received: Int, of expected: Int?) { limiter.progressed(permit, received, of: expected) }

    /// Lends the permit to others while the receiver takes no bytes.
    package func suspend() { limiter.suspend(permit) }
    func resume() { limiter.resume(permit) }

    /// Calls `action` when the request must end because others wait: at once, if that is already so.
    func onPreemption(_ action: @escaping @Sendable (Preemption) -> Void) { limiter.onPreemption(permit, action) }

    /// Returns the permit. Only the first call counts.
    package func leave(_ outcome: OriginOutcome) {
        guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
        limiter.leave(permit, outcome)
    }
}

// MARK: - Errors

/// The reason why a request is not made.
package enum OriginLimitError: Error, Equatable {
    /// The origin failed too often lately. It is asked again at that time, or `nil` while one request tests whether it
    /// works.
    case failing(until: Instant?)
    /// The origin asked for a pause until that time, which is too late.
    case askedToWait(until: Instant)
    /// No permit became free in time.
    case late
    /// The origin is so busy that the request would take too long. It may be asked again at that time.
    case crowded(until: Instant)
    /// The caller does not want the source any more.
    case cancelled

    /// A Boolean value that indicates whether a request with more time might be made.
    package var lacksTime: Bool {
        switch self {
        case .askedToWait, .late: true
        case .failing, .crowded, .cancelled: false
        }
    }

    /// Returns how long to wait before asking again.
    func pause(at now: Instant) -> Duration {
        let end: Instant? =
            switch self {
            case .failing(let until): until
            case .askedToWait(let until), .crowded(let until): until
            case .late, .cancelled: nil
            }
        return max(.milliseconds(100), end.map { $0 - now } ?? .seconds(1))
    }

    /// Returns the failure for `host`.
    package func failure(of host: String, at now: Instant) -> AttachmentFailure {
        switch self {
        case .failing(let until):
            let pause = until.map { " for another \(Self.seconds($0 - now))" } ?? " while one request tests it"
            return unavailable("\(host) failed repeatedly. Requests to it are paused\(pause).")
        case .askedToWait(let until):
            return unavailable("\(host) asked for a pause, which lasts another \(Self.seconds(until - now)).")
        case .crowded(let until):
            return unavailable("\(host) is busy. It may be asked again in \(Self.seconds(until - now)).")
        case .late:
            let message = "Too many requests to \(host) are in progress to send another one in time."
            return AttachmentFailure(.download, .timedOut, message)
        case .cancelled:
            return AttachmentFailure(.download, .cancelled, "The download from \(host) was stopped.")
        }
    }

    private func unavailable(_ message: String) -> AttachmentFailure {
        AttachmentFailure(.download, .originUnavailable, message)
    }

    private static func seconds(_ duration: Duration) -> String { "\(max(1, (duration.milliseconds + 999) / 1000)) s" }
}

// MARK: - Outcomes

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

// MARK: - Events

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
