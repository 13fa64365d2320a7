import Base
import CCrypto
import CCurl
import Media
import Synchronization

/// The loops of one client: one for each site while it has transfers, and for a while after.
///
/// libcurl shares connections among all transfers of a loop. Each access has its own loop, so that a connection that was
/// opened with a rule's certificate or addresses serves only that rule.
final class TransferLoops: Sendable {
    private struct Key: Hashable {
        var site: Site
        var access: String?
    }

    private struct Entry {
        var loop: TransferLoop
        var users = 0
        var idleSince: Instant
    }

    /// The consequence for a site whose peer kept a thread busy.
    private struct Penalty {
        var until: Instant
        var pause: Duration
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var penalties = BoundedTable<Site, Penalty>(entryLimit: 10_000)
        /// The sites from which an answer has come.
        var known = BoundedTable<Site, Void>(entryLimit: 10_000)
        /// The places that each site with requests may take of all, and the number of its requests.
        var shares: [Site: (places: AsyncSemaphore, users: Int)] = [:]
        var isOpen = true
    }

    struct Limits: Sendable {
        /// The most transfers at once, and so the most loops that work: the permits of requests to origins and to
        /// callbacks, and the transfers that pause. Each has a place, so that none of them waits for another.
        var all = OriginRule().globalLimit + OriginRule.callbacks.globalLimit + MemoryPool.Rule.waitingLimit
        /// The maximum number of transfers of one site at once. A paused transfer has returned its permit but still counts.
        var site = 80
    }

    /// The most loops without a transfer, each with its thread and its kept connections, and the time for which they stay.
    private static let idleLimit = 24
    private static let idleTime: Duration = .seconds(30)
    private static let firstPause: Duration = .seconds(60)
    private static let longestPause: Duration = .seconds(1800)

    private let settings: HTTPSettings
    private let trust: TrustStore
    private let time: any TimeSource
    private let alarm: Alarm
    private let onCutOff: @Sendable (_ host: String) -> Void
    private let limits: Limits
    private let places: AsyncSemaphore
    private let state = Mutex(State())

    init(
        settings: HTTPSettings,
        limits: Limits = Limits(),
        time: any TimeSource,
        onCutOff: @escaping @Sendable (_ host: String) -> Void,
    ) {
        self.limits = limits
        places = AsyncSemaphore(permits: limits.all)
        self.settings = settings
        self.time = time
        alarm = Alarm(time)
        self.onCutOff = onCutOff
        trust = TrustStore(file: settings.authoritiesFile, time: time)
    }

    /// Makes the request on the loop of its site, in the time that is left once it has a place.
    func run(_ request: HTTPRequest, _ receiver: any AnswerReceiver, until deadline: Instant) async -> HTTPResult {
        let key = Key(site: request.url.site, access: request.access?.name)
        let share = joinShare(of: key.site)
        defer { leaveShare(of: key.site) }
        if let result = await wait(for: [share, places], request, until: deadline) { return result }
        defer {
            places.release()
            share.release()
        }
        var request = request
        request.timeLimit = deadline - time.now
        do throws(AttachmentFailure) {
            guard request.timeLimit > .zero else { throw request.timedOut() }
            let loop = try enter(key, request)
            defer { leave(key, loop) }
            var result = await loop.run(request, receiver)
            if result.isHeld { result.failure = request.held() }
            if result.status != nil { state.withLock { $0.known.insert((), for: key.site) } }
            return result
        } catch {
            return HTTPResult(failure: error)
        }
    }

    /// Waits for a permit of each semaphore, for which the request has one of its origin already. Returns the result if the
    /// request is cancelled, is out of time or must give way first.
    private func wait(
        for semaphores: [AsyncSemaphore],
        _ request: HTTPRequest,
        until deadline: Instant,
    ) async -> HTTPResult? {
        let free = semaphores.prefix(while: { $0.tryAcquire() })
        guard free.count < semaphores.count else { return nil }
        let preemption = Mutex<Preemption?>(nil)
        let waiting = Task {
            for (index, semaphore) in semaphores.enumerated().dropFirst(free.count) {
                do throws(CancellationError) {
                    try await semaphore.acquire()
                } catch {
                    for held in semaphores[..<index] { held.release() }
                    return false
                }
            }
            return true
        }
        let timer = Task { [time] in
            try await time.sleep(until: deadline)
            waiting.cancel()
        }
        defer { timer.cancel() }
        request.permit?.onPreemption { reason in
            preemption.withLock { $0 = reason }
            waiting.cancel()
        }
        let isIn = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        guard !isIn else { return nil }
        let isLate = time.now >= deadline && !Task.isCancelled
        let cause = preemption.withLock(\.self)
        var result = HTTPResult(
            failure: cause.map(request.wasPreempted) ?? (isLate ? request.timedOut() : request.cancelled())
        )
        result.wasPreempted = cause != nil
        return result
    }

    /// The sites from which an answer has come, the least recently used first. A process that starts with those of the last
    /// one serves them before strangers (SECURITY N21).
    var knownSites: [Site] {
        get { state.withLock { $0.known.oldestFirst.map(\.key) } }
        set {
            state.withLock { state in
                for site in newValue { state.known.insert((), for: site) }
            }
        }
    }

    /// The numbers of loops with and without transfers.
    var counts: (working: Int, idle: Int) {
        state.withLock { state in
            let working = state.entries.values.count { $0.users > 0 }
            return (working, state.entries.count - working)
        }
    }

    /// Cancels the running transfers and refuses later ones.
    func stop() {
        let loops = state.withLock { state in
            state.isOpen = false
            defer { state.entries = [:] }
            return state.entries.values.map(\.loop)
        }
        for loop in loops { loop.stop() }
    }

    private func joinShare(of site: Site) -> AsyncSemaphore {
        state.withLock { state in
            let places = state.shares[site]?.places ?? AsyncSemaphore(permits: limits.site)
            state.shares[site] = (places, (state.shares[site]?.users ?? 0) + 1)
            return places
        }
    }

    private func leaveShare(of site: Site) {
        state.withLock { state in
            guard let share = state.shares[site] else { return }
            state.shares[site] = share.users > 1 ? (share.places, share.users - 1) : nil
        }
    }

    private func enter(_ key: Key, _ request: HTTPRequest) throws(AttachmentFailure) -> TransferLoop {
        let now = time.now
        return try state.withLock { state throws(AttachmentFailure) in
            guard state.isOpen else { throw request.cancelled() }
            if let penalty = state.penalties[key.site], now < penalty.until {
                throw request.heldBefore(until: penalty.until, now: now)
            }
            if let loop = state.entries[key]?.loop, loop.isOpen {
                state.entries[key]?.users += 1
                return loop
            }
            let isKnown = state.known.use(key.site) != nil
            let loop = try TransferLoop(settings: settings, trust: trust, isKnown: isKnown, time: time) { [weak self] in
                self?.punish(key.site, host: request.url.host)
            }
            state.entries[key] = Entry(loop: loop, users: 1, idleSince: now)
            return loop
        }
    }

    /// Records that a request is over.
    private func leave(_ key: Key, _ loop: TransferLoop) {
        let now = time.now
        state.withLock { state in
            guard state.entries[key]?.loop === loop else { return }
            state.entries[key]?.users -= 1
            state.entries[key]?.idleSince = now
            if !loop.isOpen { state.entries[key] = nil }
        }
        trim()
    }

    /// Ends the loops that have had no request for long, or are too many. Looks again when the next one has had none for long.
    private func trim() {
        let now = time.now
        let (ended, next) = state.withLock { state in
            let idle = state.entries.filter { $0.value.users == 0 }.sorted { $0.value.idleSince < $1.value.idleSince }
            let tooMany = max(0, idle.count - Self.idleLimit)
            let ended = idle.enumerated().filter { $0 < tooMany || now - $1.value.idleSince >= Self.idleTime }
            for (_, entry) in ended { state.entries[entry.key] = nil }
            return (ended.map(\.element.value.loop), idle.dropFirst(ended.count).first?.value.idleSince)
        }
        for loop in ended { loop.stop() }
        alarm.set(for: next.map { $0 + Self.idleTime }) { [weak self] in self?.trim() }
    }

    /// Pauses all requests to a site: longer each time, unless it has behaved for as long as its last pause was long.
    private func punish(_ site: Site, host: String) {
        let now = time.now
        state.withLock { state in
            let before = state.penalties[site].flatMap { now - $0.until < Self.longestPause ? $0.pause : nil }
            let pause = min(before.map { $0 * 2 } ?? Self.firstPause, Self.longestPause)
            state.known.remove(site)
            state.penalties.insert(Penalty(until: now + pause, pause: pause), for: site)
        }
        onCutOff(host)
    }
}

// MARK: - Trust

/// The certificate authorities that all connections trust: read once and shared by reference. Parsing them takes 10 to 20
/// ms, which libcurl would do again for each loop.
final class TrustStore: Sendable {
    /// OpenSSL's store. Its own lock protects it.
    @safe
    final class Authorities: @unchecked Sendable {
        let store: OpaquePointer

        /// Reads the file in PEM form, or the system's own, with the system's folder of authorities beside it. Returns `nil` if
        /// the file cannot be read.
        init?(file: String?) {
            guard let store = unsafe X509_STORE_new() else { return nil }
            unsafe self.store = store
            let bundle = unsafe ccurl_authorities_file().map { unsafe String(cString: $0) }
            let folder = unsafe ccurl_authorities_folder().map { unsafe String(cString: $0) }
            if let folder { unsafe X509_STORE_load_path(store, folder) }
            if let file = file ?? bundle, unsafe X509_STORE_load_file(store, file) != 1, file != bundle { return nil }
            // These are the flags that libcurl sets in its own store.
            unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
        }

        deinit { unsafe X509_STORE_free(store) }
    }

    /// The time after which the files are read again: authorities are added and withdrawn.
    private static let lifetime: Duration = .seconds(86_400)

    private let file: String?
    private let time: any TimeSource
    private let present = Mutex<(authorities: Authorities, read: Instant)?>(nil)

    /// Creates a store that reads `file` at its first use; `nil` means the system's own authorities.
    init(file: String?, time: any TimeSource) {
        self.file = file
        self.time = time
    }

    /// Returns the authorities. Throws if their file cannot be read.
    func authorities() throws(AttachmentFailure) -> Authorities {
        try present.withLock { present throws(AttachmentFailure) in
            let now = time.now
            if let present, now - present.read < Self.lifetime { return present.authorities }
            guard let authorities = Authorities(file: file) else {
                let message = "The file of certificate authorities cannot be read."
                throw AttachmentFailure(.download, .tlsFailed, message)
            }
            present = (authorities, now)
            return authorities
        }
    }
}
