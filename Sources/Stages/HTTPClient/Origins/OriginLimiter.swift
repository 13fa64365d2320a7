import Concurrency
package import Events
import Media
import Synchronization
package import Timing

/// A limiter that every request passes, so that an origin never gets more than it can take, and a failing origin never
/// delays others.
package final class OriginLimiter: Sendable {
    private struct Guarded {
        var table: OriginTable
        var waiting: [UInt64: Waiter<OriginTable.Decision>] = [:]
        /// The closures that end running requests, by the numbers of their permits.
        var onPreemption: [UInt64: @Sendable (Preemption) -> Void] = [:]
        var lastNumber: UInt64 = 0
        /// The instant at which the table will be checked next.
        var armed: Instant?
    }

    package let rule: OriginRule
    private let time: any TimeSource
    private let instrument: any Instrument<OriginEvent>
    private let guarded: Mutex<Guarded>

    package init(_ rule: OriginRule, time: any TimeSource, instrument: any Instrument<OriginEvent>) {
        self.rule = rule
        self.time = time
        self.instrument = instrument
        guarded = Mutex(Guarded(table: OriginTable(rule)))
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
                // A request that is cancelled already takes no permit from others.
                if Task.isCancelled { guarded.table.cancel(number) }
            }
            return nil
        } onCancel: { _ in
            change { $0.table.cancel(number) }
        }
        switch decision {
        case .success(let permit):
            if permit.start > asked { instrument.record(.waited) }
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
        instrument.record(.retried)
        return true
    }

    /// Sets the number of requests that wait elsewhere for the permits of running ones.
    package func setDemand(_ count: Int) {
        let now = time.now
        change { $0.table.setDemand(count, at: now) }
    }

    /// Begins the end of the process: what waits may begin for a little while only, and what would not be done ends.
    package func drain() {
        let now = time.now
        change { $0.table.drain(at: now) }
    }

    fileprivate func leave(_ permit: OriginTable.Permit, _ outcome: OriginOutcome) {
        let now = time.now
        var opened = false
        change { guarded in
            guarded.onPreemption[permit.number] = nil
            opened = guarded.table.leave(permit, outcome, at: now, jitter: .random(in: 0...1))
        }
        if opened { instrument.record(.opened(host: permit.origin.host)) }
    }

    fileprivate func answered(_ permit: OriginTable.Permit) {
        let now = time.now
        change { $0.table.answered(permit, at: now) }
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
        case .failing: instrument.record(.refusedFailing)
        case .askedToWait: instrument.record(.refusedPaused)
        case .late, .crowded: instrument.record(.refusedLate)
        case .cancelled: break
        }
    }

    /// Changes the table, wakes the affected waiters, and sets a timer for the table's next decision.
    private func change(_ body: (inout Guarded) -> Void) {
        let now = time.now
        let (woken, preempted, alarm) = guarded.withLock { guarded in
            body(&guarded)
            let preempted = guarded.table.takePreempted().map { number, cause in
                (guarded.onPreemption.removeValue(forKey: number), cause)
            }
            let woken = guarded.table.takeSettled().compactMap { number, decision in
                guarded.waiting.removeValue(forKey: number).map { ($0, decision) }
            }
            var alarm: Instant?
            if let due = guarded.table.nextDue(after: now), guarded.armed.map({ due < $0 }) ?? true {
                (guarded.armed, alarm) = (due, due)
            }
            return (woken, preempted, alarm)
        }
        for (action, cause) in preempted {
            instrument.record(cause == .share ? .preemptedForShare : .preemptedSlow)
            action?(cause)
        }
        for (waiter, decision) in woken { waiter.resume(returning: decision) }
        if let alarm { look(at: alarm) }
    }

    private func look(at instant: Instant) {
        // Detached, because the timer is not a part of the request that sets it.
        Task.detached { [weak self, time] in
            try? await time.sleep(until: instant)
            let now = time.now
            self?.change { guarded in
                if guarded.armed == instant { guarded.armed = nil }
                guarded.table.settle(at: now)
            }
        }
    }
}

/// The permit for one request. It ends with the request, or when the reader pauses, or with this object.
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

    /// Calls `action` when the request must end because others wait: at once, if that is already so.
    func onPreemption(_ action: @escaping @Sendable (Preemption) -> Void) { limiter.onPreemption(permit, action) }

    /// Returns the permit. Only the first call counts.
    package func leave(_ outcome: OriginOutcome) {
        guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
        limiter.leave(permit, outcome)
    }
}
