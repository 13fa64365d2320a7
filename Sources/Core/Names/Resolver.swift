import Concurrency
import Synchronization
package import Timing

/// The reason why a name has no addresses.
package enum ResolverError: Error, Sendable, Equatable {
    /// The name does not exist, or has no addresses.
    case notFound
    /// No server answered in time, or not before the caller's deadline.
    case timedOut
    /// The servers failed, none can be reached, or this process has no memory or descriptors to ask.
    case failed
    /// Too many other names were asked for: the name had no turn before the caller's deadline.
    case busy
    /// The caller was cancelled, or the resolver was stopped.
    case cancelled
}

/// A resolver of host names to addresses, in one thread and with bounds, so that a DNS server that does not answer
/// holds back nothing but the names of its own site.
///
/// `getaddrinfo` blocks a thread for each name, for as long as the servers take. Here, c-ares asks: it knows /etc/hosts
/// and /etc/resolv.conf, and orders the addresses as RFC 6724 says. Other sources of names in /etc/nsswitch.conf are
/// not asked.
package final class Resolver: Sendable {
    private struct Guarded {
        var table: NameTable
        var waiting: [UInt64: Waiter<NameTable.Answer>] = [:]
        var lastNumber: UInt64 = 0
        /// The thread, from the first query on.
        var loop: QueryLoop?
        var heartbeat: LoopHeartbeat?
        var isStopped = false
        /// The instant at which the table will be checked next.
        var armed: Instant?
    }

    /// The resolver of this process, with the system's servers.
    package static let ofThisProcess = Resolver()

    private let rule: ResolverRule
    private let servers: String?
    private let time: any TimeSource
    private let guarded: Mutex<Guarded>

    /// Creates a resolver. It starts its thread at the first query. `servers` are addresses with ports, divided by
    /// commas, that replace the system's.
    package init(
        _ rule: ResolverRule = ResolverRule(),
        servers: String? = nil,
        time: any TimeSource = SystemTime(),
    ) {
        self.rule = rule
        self.servers = servers
        self.time = time
        guarded = Mutex(Guarded(table: NameTable(rule)))
    }

    deinit { guarded.withLock(\.loop)?.stop() }

    package var usage: ResolverUsage {
        guarded.withLock { guarded in
            ResolverUsage(
                inFlight: guarded.table.inFlight,
                waiting: guarded.table.waitingCount,
                threads: guarded.loop == nil ? 0 : 1,
                cached: guarded.table.keptCount,
            )
        }
    }

    /// Returns the addresses of `host`, best first. Returns or throws at `deadline` at the latest, and at once if the
    /// task is cancelled. The query is charged to `site`, the owner of the name, such as its registrable domain.
    package func addresses(
        of host: String,
        for site: String,
        until deadline: Instant,
    ) async throws(ResolverError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        guard let name = Self.name(host) else { throw .notFound }
        // Names below localhost are this machine's, and no server is asked for them (RFC 6761, section 6.3).
        if name.hasSuffix(".localhost") || name.hasSuffix(".localhost.") { return Self.loopback }
        let number = guarded.withLock { guarded in
            guarded.lastNumber += 1
            return guarded.lastNumber
        }
        let now = time.now
        let answer = await withWaiter { (waiter: Waiter<NameTable.Answer>) -> NameTable.Answer? in
            // A caller that is cancelled already starts no query.
            guard !Task.isCancelled else { return .failure(.cancelled) }
            return change { guarded in
                guard !guarded.isStopped else { return .failure(.cancelled) }
                guarded.waiting[number] = waiter
                guarded.table.ask(number, name, for: site, until: deadline, at: now)
                return nil
            }
        } onCancel: { _ in
            change { $0.table.cancel(number) }
        }
        return try answer.get()
    }

    /// Cancels all callers, and later ones. The thread ends.
    package func stop() {
        change { guarded in
            guarded.isStopped = true
            guarded.table.stop()
            guarded.loop?.stop()
            (guarded.loop, guarded.heartbeat) = (nil, nil)
        }
    }

    private static let loopback = [IPAddress(v4: 0x7f00_0001), IPAddress(v6: 1)]

    /// Returns the name as it is asked for; `nil` if no DNS name can be written like that. A name of 255 bytes on the
    /// wire has 253 characters, and perhaps a dot at its end (RFC 1035, section 2.3.4).
    private static func name(_ host: String) -> String? {
        let bytes = host.utf8
        guard (1...254).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return host.lowercased()
    }

    /// Changes the table, does what it says, and sets a timer for its next decision.
    private func change<Value: Sendable>(_ body: (inout Guarded) -> Value) -> Value {
        let (value, woken, alarm) = guarded.withLock { guarded in
            let value = body(&guarded)
            // The loop gets its commands under the lock, so that a query is never stopped before it starts.
            for (number, host) in guarded.table.takeStarts() { start(number, host, &guarded) }
            for number in guarded.table.takeStops() { guarded.loop?.stop(number) }
            let woken = guarded.table.takeSettled().compactMap { number, answer in
                guarded.waiting.removeValue(forKey: number).map { ($0, answer) }
            }
            var alarm: Instant?
            if let due = guarded.table.nextDue, guarded.armed.map({ due < $0 }) ?? true {
                (guarded.armed, alarm) = (due, due)
            }
            return (value, woken, alarm)
        }
        for (waiter, answer) in woken { waiter.resume(returning: answer) }
        if let alarm { look(at: alarm) }
        return value
    }

    private func start(_ number: UInt64, _ host: String, _ guarded: inout Guarded) {
        if guarded.loop == nil {
            guarded.loop = try? QueryLoop(rule, servers: servers) { [weak self] number, outcome in
                self?.ended(number, outcome)
            }
            guarded.heartbeat = guarded.loop.map { loop in LoopHeartbeat("names") { loop.answer($0) } }
        }
        guard let loop = guarded.loop else { return guarded.table.ended(number, .unable, at: time.now) }
        loop.start(number, host)
    }

    private func ended(_ number: UInt64, _ outcome: QueryOutcome) {
        let now = time.now
        change { $0.table.ended(number, outcome, at: now) }
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
