import Base
import CLinux
import CCrypto
import CCurl
import Glibc
import Media
import Synchronization

/// One thread on which the transfers of one site run.
///
/// Whatever a peer makes libcurl or OpenSSL do in a turn holds back the transfers of that peer's site only.
///
/// `@unchecked Sendable`: `multi` belongs to the thread, except for `curl_multi_wakeup`, which libcurl allows from
/// everywhere until the handle is freed. That call and all other shared state are under the mailbox's lock.
@safe
final class TransferLoop: @unchecked Sendable {
    typealias Reply = Waiter<HTTPResult>

    private enum Command {
        case start(id: UInt, HTTPRequest, any AnswerReceiver)
        case look(id: UInt)
        case cancel(id: UInt)
        case preempt(id: UInt, Preemption)
        case stop
    }

    private struct Mailbox {
        var commands: [Command] = []
        /// The instant at which the oldest command came that the thread has not read.
        var unreadSince: Instant?
        var replies: [UInt: Reply] = [:]
        var isOpen = true
        /// A Boolean value that indicates whether the handle is there to be woken.
        var hasHandle = true
        var thread: ThreadIdentity?
        var conduct: LoopConduct
        /// The number of the turn that the watch saw last, and when it saw it first.
        var lastTurn: (number: Int, since: Instant, processorTime: Duration)?
    }

    /// The stack is enough for libcurl with OpenSSL, which need less than 64 KiB.
    private static let stackByteCount = 524_288
    /// The nice value of a loop whose site is not known, equal to that of the decoders. Work for an unknown peer must not run
    /// before the transfers of known sites or before threads that answer. A thread cannot get its priority back, so the loop
    /// keeps this value until it ends.
    private static let unknownNice: Int32 = 10
    /// The nice value of a loop that was demoted.
    private static let demotedNice: Int32 = 19
    /// The processor time, and the time, after which a loop's turn is the next one's, even though it has not ended it.
    private static let longestWork: Duration = .milliseconds(5)
    private static let longestTurn: Duration = .milliseconds(250)
    /// The connections that are kept for later requests to the site.
    private static let keptConnections = 32

    private let multi: UnsafeMutableRawPointer
    private let settings: HTTPSettings
    private let trust: TrustStore
    private let time: any TimeSource
    private let turns = LoopTurns.ofThisProcess
    /// The place in the line for turns, which the loop needs until the site has answered.
    private let place = LoopTurns.Place()
    private let needsTurns: Atomic<Bool>
    /// Called once if the loop is cut off.
    private let onCutOff: @Sendable () -> Void
    private let sockets = LoopSockets()
    private let mailbox: Mutex<Mailbox>
    private let lastID = Atomic<UInt>(0)
    /// The use of the loop, for the watch.
    private let requestCount = Atomic<Int>(0)
    private let byteCount = Atomic<Int>(0)
    /// Twice the number of the present turn; odd while the thread waits for its sockets.
    private let turn = Atomic<Int>(1)
    /// The nanoseconds of processor time that the thread took before the peer had a part in it: for its own start, for reading
    /// the authorities, and for making transfers.
    private let ownTime = Atomic<Int>(0)
    /// A Boolean value that indicates whether the thread takes such time now: no peer can make that last.
    private let isPreparing = Atomic<Bool>(true)

    init(
        settings: HTTPSettings,
        trust: TrustStore,
        isKnown: Bool,
        time: any TimeSource,
        onCutOff: @escaping @Sendable () -> Void,
    ) throws(AttachmentFailure) {
        guard let multi = unsafe curl_multi_init() else {
            throw AttachmentFailure(.download, .resourceLimit, "The worker has no memory for downloads.")
        }
        // Without descriptors for the wake-up, libcurl makes a handle that cannot be woken.
        guard unsafe curl_multi_wakeup(multi) == CURLM_OK else {
            unsafe curl_multi_cleanup(multi)
            let message =
                "The process has no file descriptors left for downloads. Raise the limit of open files (ulimit -n)."
            throw AttachmentFailure(.download, .resourceLimit, message)
        }
        unsafe ccurl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, Self.keptConnections)
        unsafe self.multi = multi
        self.settings = settings
        self.trust = trust
        self.time = time
        needsTurns = Atomic(!isKnown)
        self.onCutOff = onCutOff
        mailbox = Mutex(Mailbox(conduct: LoopConduct(isKnown ? .known : .unknown, at: time.now)))
        try startThread()
    }

    var isOpen: Bool { mailbox.withLock(\.isOpen) }

    /// Makes the request and returns when it is done: at once if the task is cancelled or the receiver has no more use for
    /// the answer.
    func run(_ request: HTTPRequest, _ receiver: any AnswerReceiver) async -> HTTPResult {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        guard receiver.hasWishes else { return await run(request, receiver, id) }
        return await withTaskGroup(of: HTTPResult?.self) { group in
            group.addTask { await self.run(request, receiver, id) }
            group.addTask {
                await receiver.observeWishes { self.post(.look(id: id)) }
                self.post(.cancel(id: id))
                return nil
            }
            defer { group.cancelAll() }
            for await case let result? in group { return result }
            return HTTPResult(failure: request.cancelled())
        }
    }

    private func run(_ request: HTTPRequest, _ receiver: any AnswerReceiver, _ id: UInt) async -> HTTPResult {
        await withWaiter { reply in
            guard post(.start(id: id, request, receiver), reply: (id, reply)) else {
                return HTTPResult(failure: request.cancelled())
            }
            request.permit?.onPreemption { [weak self] in self?.post(.preempt(id: id, $0)) }
            return nil
        } onCancel: { _ in
            // The loop ignores transfers that have ended.
            post(.cancel(id: id))
        }
    }

    /// Cancels running transfers and refuses later ones. The thread ends, also if a peer keeps it busy.
    func stop() {
        post(.stop)
        sockets.shutDown()
    }

    /// Posts a command. Returns whether the loop will read it. Wakes the loop under the lock, so never after the handle
    /// is freed.
    @discardableResult
    private func post(_ command: Command, reply: (id: UInt, reply: Reply)? = nil) -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.isOpen else { return false }
            mailbox.commands.append(command)
            LoopWatch.ofThisProcess.wake()
            if mailbox.unreadSince == nil { mailbox.unreadSince = time.now }
            if let reply { mailbox.replies[reply.id] = reply.reply }
            unsafe curl_multi_wakeup(multi)
            place.ring()
            return true
        }
    }

    private func startThread() throws(AttachmentFailure) {
        do throws(SystemError) {
            // The thread keeps the loop alive, and releases it when it ends.
            try OwnThread.start(settings.name, stackByteCount: Self.stackByteCount) { self.runThread() }
        } catch {
            unsafe curl_multi_cleanup(multi)
            let message = "The process cannot start a thread for downloads. Raise the limit of threads (ulimit -u)."
            throw AttachmentFailure(.download, .resourceLimit, message)
        }
    }

    // MARK: - On the watch's thread

    /// A Boolean value that indicates whether there is something to watch: a request, or a command that is not read.
    var isBusy: Bool { mailbox.withLock { !$0.replies.isEmpty || $0.unreadSince != nil || !$0.isOpen } }

    /// Judges the thread by its use until now, as one of `loopCount` that work, and acts on the verdict.
    func examine(among loopCount: Int) {
        guard !isPreparing.load(ordering: .acquiring) else { return }
        let now = time.now
        let turn = turn.load(ordering: .relaxed)
        let requestCount = requestCount.load(ordering: .relaxed)
        let byteCount = byteCount.load(ordering: .relaxed)
        let ownTime = ownTime.load(ordering: .relaxed)
        let (verdict, thread, replies) = mailbox.withLock { mailbox in
            guard let thread = mailbox.thread else { return (LoopConduct.Verdict?.none, mailbox.thread, [Reply]()) }
            let processorTime = (thread.processorTime ?? .zero) - .nanoseconds(ownTime)
            if mailbox.lastTurn?.number != turn { mailbox.lastTurn = (turn, now, processorTime) }
            if turn.isMultiple(of: 2), let last = mailbox.lastTurn,
                processorTime - last.processorTime >= Self.longestWork || now - last.since >= Self.longestTurn
            {
                turns.end(place)
            }
            // The thread has prepared a transfer meanwhile, and that time is not its peer's.
            guard !isPreparing.load(ordering: .acquiring), self.ownTime.load(ordering: .relaxed) == ownTime else {
                return (nil, thread, [])
            }
            let use = LoopConduct.Use(
                processorTime: processorTime,
                requestCount: requestCount,
                runningCount: mailbox.replies.count,
                byteCount: byteCount,
                turn: turn.isMultiple(of: 2) ? turn / 2 : nil,
                unread: mailbox.unreadSince.map { now - $0 } ?? .zero,
            )
            let verdict = mailbox.conduct.judge(use, among: loopCount, at: now)
            guard verdict == .cutOff || verdict == .abandoned else { return (verdict, thread, []) }
            mailbox.isOpen = false
            guard verdict == .abandoned else { return (verdict, thread, []) }
            defer { mailbox.replies = [:] }
            return (verdict, thread, Array(mailbox.replies.values))
        }
        switch verdict {
        case .demoted: thread?.yield(Self.demotedNice)
        case .cutOff:
            thread?.yield(Self.demotedNice)
            onCutOff()
            sockets.shutDown()
            turns.leave(place)
            // The thread may have gone to wait meanwhile. It ends when it finds the mailbox closed.
            mailbox.withLock { if $0.hasHandle { unsafe curl_multi_wakeup(multi) } }
            place.ring()
        case .abandoned: for reply in replies { reply.resume(returning: .held) }
        case .good, nil: break
        }
    }

    // MARK: - On the thread

    private struct Running {
        var transfer: Transfer
        var request: HTTPRequest
    }

    private func runThread() {
        let thread = ThreadIdentity.ofThisThread()
        if needsTurns.load(ordering: .relaxed) { thread?.yield(Self.unknownNice) }
        let startTime = thread?.processorTime ?? .zero
        ownTime.store(Int(clamping: startTime / .nanoseconds(1)), ordering: .relaxed)
        isPreparing.store(false, ordering: .releasing)
        mailbox.withLock { $0.thread = thread }
        LoopWatch.ofThisProcess.add(self)
        var running: [UInt: Running] = [:]
        // The turn ends, for the watch, while the thread waits for its sockets.
        turn.wrappingAdd(1, ordering: .relaxed)
        while follow(takeCommands(), on: thread, &running) {
            let isNew = needsTurns.load(ordering: .relaxed)
            guard !isNew || hasTurn() else { continue }
            let before = isNew ? thread?.processorTime : nil
            var count: Int32 = 0
            unsafe curl_multi_perform(multi, &count)
            handOn(&running)
            finishEnded(&running)
            finishStalled(&running)
            if isNew {
                if let before { turns.record((thread?.processorTime ?? before) - before, of: place, sockets.peer) }
                turns.end(place)
            }
            turn.wrappingAdd(1, ordering: .relaxed)
            // Without memory or descriptors for the poll, this would return at once, again and again.
            if unsafe curl_multi_poll(multi, nil, 0, pause(running), nil) != CURLM_OK { usleep(10_000) }
            turn.wrappingAdd(1, ordering: .relaxed)
        }
        turns.leave(place)
        unsafe curl_multi_cleanup(multi)
        LoopWatch.ofThisProcess.remove(self)
    }

    /// Returns whether the loop may go on. Otherwise there is a command to read, or a turn has come.
    private func hasTurn() -> Bool {
        guard !turns.begin(place, of: sockets.peer) else { return true }
        // What was posted before the loop stood in line rang no bell.
        guard mailbox.withLock({ $0.isOpen && $0.commands.isEmpty }) else { return false }
        turn.wrappingAdd(1, ordering: .relaxed)
        place.wait()
        turn.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    /// Returns the commands since the last turn; `nil` when the loop was cut off.
    private func takeCommands() -> [Command]? {
        mailbox.withLock { mailbox in
            defer { (mailbox.commands, mailbox.unreadSince) = ([], nil) }
            return mailbox.isOpen ? mailbox.commands : nil
        }
    }

    /// Executes commands. Returns `false` when the thread must end.
    private func follow(_ commands: [Command]?, on thread: ThreadIdentity?, _ running: inout [UInt: Running]) -> Bool {
        guard let commands else { return end(&running, with: .held) }
        for command in commands {
            switch command {
            case .start(let id, let request, let receiver): start(request, id: id, receiver, thread, &running)
            case .look(let id):
                guard let entry = running[id], !entry.transfer.resume() else { continue }
                running[id] = nil
                finish(id, entry, CURLE_ABORTED_BY_CALLBACK)
            case .cancel(let id):
                guard let entry = running.removeValue(forKey: id) else { continue }
                finish(id, entry, entry.transfer.cancelledResult)
            case .preempt(let id, let cause):
                guard let entry = running.removeValue(forKey: id) else { continue }
                entry.transfer.preempt(cause)
                finish(id, entry, CURLE_ABORTED_BY_CALLBACK)
            case .stop: return end(&running, with: nil)
            }
        }
        return true
    }

    /// Ends all transfers, and answers requests that did not begin. Without a result, they are cancelled. Returns `false`.
    private func end(_ running: inout [UInt: Running], with result: HTTPResult?) -> Bool {
        for (id, entry) in running { finish(id, entry, result ?? entry.transfer.cancelledResult) }
        running = [:]
        let replies = mailbox.withLock { mailbox in
            (mailbox.isOpen, mailbox.hasHandle) = (false, false)
            defer { mailbox.replies = [:] }
            return mailbox.replies.values
        }
        for reply in replies { reply.resume(returning: result ?? .cancelled) }
        return false
    }

    private func start(
        _ request: HTTPRequest,
        id: UInt,
        _ receiver: any AnswerReceiver,
        _ thread: ThreadIdentity?,
        _ running: inout [UInt: Running],
    ) {
        isPreparing.store(true, ordering: .releasing)
        let start = thread?.processorTime ?? .zero
        defer {
            let time = (thread?.processorTime ?? start) - start
            ownTime.wrappingAdd(Int(clamping: time / .nanoseconds(1)), ordering: .relaxed)
            isPreparing.store(false, ordering: .releasing)
        }
        do throws(AttachmentFailure) {
            // The cancellation may have come before the request.
            guard !receiver.isOver else { throw request.cancelled() }
            let authorities = request.url.scheme == "https" ? try trust.authorities() : nil
            let transfer = try Transfer(request, receiver, settings, sockets, authorities, id: id, time: time)
            guard unsafe curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
                throw AttachmentFailure(.download, .resourceLimit, "The worker has no memory for another download.")
            }
            running[id] = Running(transfer: transfer, request: request)
            requestCount.wrappingAdd(1, ordering: .relaxed)
        } catch {
            reply(to: id, HTTPResult(failure: error))
        }
    }

    /// Hands the bytes of this turn to the receivers.
    private func handOn(_ running: inout [UInt: Running]) {
        for (id, entry) in running {
            let count = entry.transfer.takeNewByteCount()
            guard count > 0 else { continue }
            byteCount.wrappingAdd(count, ordering: .relaxed)
            guard case .stopped = entry.transfer.handOn() else { continue }
            running[id] = nil
            finish(id, entry, CURLE_WRITE_ERROR)
        }
    }

    private func finishEnded(_ running: inout [UInt: Running]) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else {
                continue
            }
            // The message is gone once its handle is taken out.
            let code = unsafe message.pointee.data.result
            var context: UnsafeMutableRawPointer?
            unsafe ccurl_getinfo_pointer(handle, CURLINFO_PRIVATE, &context)
            let id = UInt(bitPattern: context)
            guard let entry = running.removeValue(forKey: id) else { continue }
            finish(id, entry, code)
        }
    }

    private func finishStalled(_ running: inout [UInt: Running]) {
        let now = time.now
        for (id, entry) in running where entry.transfer.isStalled(now: now) {
            running[id] = nil
            finish(id, entry, CURLE_ABORTED_BY_CALLBACK)
        }
    }

    private func finish(_ id: UInt, _ entry: Running, _ code: CURLcode) {
        finish(id, entry, entry.transfer.result(code))
    }

    private func finish(_ id: UInt, _ entry: Running, _ result: HTTPResult) {
        if result.status != nil, needsTurns.exchange(false, ordering: .relaxed) {
            mailbox.withLock { $0.conduct.becomeKnown() }
            turns.leave(place)
        }
        unsafe curl_multi_remove_handle(multi, entry.transfer.handle)
        reply(to: id, result)
    }

    private func reply(to id: UInt, _ result: HTTPResult) {
        mailbox.withLock { $0.replies.removeValue(forKey: id) }?.resume(returning: result)
    }

    /// Returns the milliseconds until the next stall is due, at most a minute. libcurl's own timers cut it short.
    private func pause(_ running: [UInt: Running]) -> Int32 {
        guard let due = running.values.compactMap(\.transfer.stallDue).min() else { return 60_000 }
        let left = (due - time.now).milliseconds + 1
        return Int32(min(max(left, 0), 60_000))
    }
}
