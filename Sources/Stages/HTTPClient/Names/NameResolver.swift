package import Base
import Synchronization

/// The reason why a name has no addresses.
package enum ResolverError: Error, Sendable, Equatable {
    /// The name does not exist, or has no addresses.
    case notFound
    /// No server answered in time, or not before the caller's deadline.
    case timedOut
    /// All servers failed or are unreachable, or this process lacks memory or descriptors for a query.
    case failed
    /// Too many other names were asked for: the name had no turn before the caller's deadline.
    case busy
    /// The caller was cancelled, or the resolver was stopped.
    case cancelled
}

/// A resolver of host names, with one thread and limits, so that a DNS server that does not answer delays only the names
/// of its own site.
///
/// `getaddrinfo` blocks a thread for each name until the servers answer. c-ares does not. It reads /etc/hosts and
/// /etc/resolv.conf, and orders the addresses according to RFC 6724. It ignores other sources of names in
/// /etc/nsswitch.conf.
package final class NameResolver: Sendable {
    private struct Guarded {
        var table: NameTable
        var waiting: [UInt64: Waiter<NameTable.Answer>] = [:]
        var lastNumber: UInt64 = 0
        /// The thread, from the first query on.
        var loop: QueryLoop?
        var heartbeat: LoopHeartbeat?
        var isStopped = false
    }

    /// The resolver of this process, with the system's servers.
    package static let ofThisProcess = NameResolver()

    private let rule: ResolverRule
    private let servers: String?
    private let time: any TimeSource
    private let guarded: Mutex<Guarded>
    private let alarm: Alarm

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
        alarm = Alarm(time)
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
    /// task is cancelled. The query is charged to `site`, the owner of the name, such as its registrable domain. If
    /// `mayUseLast`, the addresses may be those of an answer whose time to live is over, when the new answer is late.
    package func addresses(
        of host: String,
        for site: String,
        until deadline: Instant,
        mayUseLast: Bool = false,
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
                guarded.table.ask(number, name, for: site, until: deadline, mayUseLast: mayUseLast, at: now)
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

    /// Returns the name for the query; `nil` if it is not a valid DNS name. A name of 255 bytes on the
    /// wire has 253 characters, and perhaps a dot at its end (RFC 1035, section 2.3.4).
    private static func name(_ host: String) -> String? {
        let bytes = host.utf8
        guard (1...254).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return host.lowercased()
    }

    /// Changes the table, carries out its decisions, and sets a timer for the next one.
    private func change<Value: Sendable>(_ body: (inout Guarded) -> Value) -> Value {
        let (value, woken, due) = guarded.withLock { guarded in
            let value = body(&guarded)
            // The loop gets its commands under the lock, so that a query is never stopped before it starts.
            for (number, host) in guarded.table.takeStarts() { start(number, host, &guarded) }
            for number in guarded.table.takeStops() { guarded.loop?.stop(number) }
            let woken = guarded.table.takeSettled().compactMap { number, answer in
                guarded.waiting.removeValue(forKey: number).map { ($0, answer) }
            }
            return (value, woken, guarded.table.nextDue)
        }
        for (waiter, answer) in woken { waiter.resume(returning: answer) }
        alarm.set(for: due) { [weak self, time] in
            let now = time.now
            self?.change { $0.table.settle(at: now) }
        }
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
}

// MARK: - Bounds and state

/// The bounds of name resolution.
package struct ResolverRule: Sendable {
    /// The number of queries in flight at once. A query asks for the IPv4 and the IPv6 addresses of one name.
    package var queryLimit = 64
    /// The number of names that wait for a turn.
    package var waiterLimit = 4096
    /// The number of queries that a site may have in flight after its last one timed out.
    package var slowSiteLimit = 2
    /// The divisor of the share of queries that is reserved for sites with a known name, if there are any. A sender can
    /// invent any number of other names without cost.
    package var knownPart = 4
    /// The number of sites of which is known that they have a known name, or that their last query timed out.
    package var siteCount = 4096
    /// The time for which a query keeps its turn, whatever its servers do.
    package var longestQuery: Duration = .seconds(5)
    /// The time after which an answer is late: most come within a fraction of it. Then the last answer stands in, and the
    /// query yields its turn if another name waits for it.
    package var lateTime: Duration = .milliseconds(500)
    /// The time for which the last addresses may be used after their own time is over.
    package var lastAnswerLife: Duration = .seconds(60)
    /// The time for the first answer of a server, unless `resolv.conf` says otherwise.
    package var answerTime: Duration = .milliseconds(1500)
    /// The number of times that each server is asked, unless `resolv.conf` says otherwise.
    package var tries = 2
    /// The number of sockets that one query may open, one after the other: one for each server and protocol, for each
    /// search domain, and one for each address to order them. Further addresses come last.
    package var socketLimit: Int32 = 128
    /// The bytes that one query may receive. That is enough for 800 addresses.
    package var byteLimit = 16_384
    /// The number of addresses in one answer. The others are dropped.
    package var addressLimit = 32
    /// The number of answers that are kept.
    package var cacheLimit = 4096
    /// The shortest and the longest time for which addresses are kept, whatever time to live their records have. The
    /// shortest one is so that the names of a burst are asked for once.
    package var addressLife: ClosedRange<Duration> = .seconds(1)...(.seconds(60))
    /// The time for which is kept that a name was not found, or that its server failed.
    package var failureLife: Duration = .seconds(2)
    /// The time for which is kept that a query timed out.
    package var timeoutLife: Duration = .seconds(5)
    /// The file with the servers, search domains and options, in the format of resolv.conf(5).
    package var configurationFile = "/etc/resolv.conf"

    package init() {}

    /// The number of queries that one site may have in flight.
    package var siteLimit: Int { max(1, queryLimit / 4) }
}

/// The state of name resolution at one instant.
package struct ResolverUsage: Sendable, Equatable {
    /// The number of queries in flight.
    package var inFlight = 0
    /// The number of names that wait for a turn.
    package var waiting = 0
    /// The number of threads: one after the first query.
    package var threads = 0
    /// The number of answers that are kept.
    package var cached = 0
}
