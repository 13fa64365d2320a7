import CCurl
import Concurrency
import Glibc
import Media
import Synchronization
import Timing

/// The one thread on which all transfers run.
///
/// `@unchecked Sendable`: `multi` belongs to the thread, except for `curl_multi_wakeup`, which libcurl allows from
/// everywhere until the handle is freed. That call and all other shared state are under the mailbox's lock.
@safe
final class TransferLoop: @unchecked Sendable {
    typealias Reply = Waiter<TransferResult>

    private enum Command {
        case start(id: UInt, TransferRequest, Reply)
        case look(id: UInt)
        case cancel(id: UInt)
        case answer(@Sendable () -> Void)
        case preempt(id: UInt, Preemption)
        case stop
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isOpen = true
    }

    private struct Running {
        var transfer: Transfer
        var request: TransferRequest
        var reply: Reply
    }

    private let multi: UnsafeMutableRawPointer
    private let settings: DownloadSettings
    private let mailbox = Mutex(Mailbox())
    private let lastID = Atomic<UInt>(0)

    init(settings: DownloadSettings) throws(AttachmentFailure) {
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
        unsafe self.multi = multi
        self.settings = settings
        try startThread()
    }

    /// Makes the request and returns when it is done: at once if the task is cancelled or the media file has ended.
    func run(_ request: TransferRequest) async -> TransferResult {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskGroup(of: TransferResult?.self) { group in
            group.addTask { await self.run(request, id) }
            group.addTask { await self.watchReader(of: request.file, id) }
            defer { group.cancelAll() }
            for await case let result? in group { return result }
            return TransferResult(failure: request.cancelled())
        }
    }

    private func run(_ request: TransferRequest, _ id: UInt) async -> TransferResult {
        await withWaiter { reply in
            guard post(.start(id: id, request, reply)) else { return TransferResult(failure: request.cancelled()) }
            request.permit?.onPreemption { [weak self] in self?.post(.preempt(id: id, $0)) }
            return nil
        } onCancel: { _ in
            // The loop ignores transfers that have ended.
            post(.cancel(id: id))
        }
    }

    /// Notifies the transfer each time that its reader wants another range, until the reader wants no more.
    private func watchReader(of file: MediaFile, _ id: UInt) async -> TransferResult? {
        var wanted = file.contents.wanted
        while wanted.upperBound != .max, !Task.isCancelled, file.contents.ending == nil {
            wanted = await file.contents { [wanted] in $0.wanted != wanted || $0.ending != nil }.wanted
            post(.look(id: id))
        }
        _ = await file.contents { $0.ending != nil }
        post(.cancel(id: id))
        return nil
    }

    /// Asks the thread to call `answer`, to show that it runs. A thread that has ended is not asked.
    func answer(_ answer: @escaping @Sendable () -> Void) {
        if !post(.answer(answer)) { answer() }
    }

    /// Cancels running transfers and refuses later ones. The thread ends.
    func stop() { post(.stop) }

    /// Posts a command. Returns whether the loop will read it. Wakes the loop under the lock, so never after the handle
    /// is freed.
    @discardableResult
    private func post(_ command: Command) -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.isOpen else { return false }
            mailbox.commands.append(command)
            unsafe curl_multi_wakeup(multi)
            return true
        }
    }

    private func startThread() throws(AttachmentFailure) {
        // The thread keeps the loop alive, and releases it when it ends.
        let loop = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread,
            nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().runThread()
                return nil
            },
            loop.toOpaque(),
        )
        guard status == 0 else {
            unsafe loop.release()
            unsafe curl_multi_cleanup(multi)
            let message = "The process cannot start a thread for downloads. Raise the limit of threads (ulimit -u)."
            throw AttachmentFailure(.download, .resourceLimit, message)
        }
        pthread_detach(thread)
    }

    // MARK: - On the thread

    private func runThread() {
        blockSignals()
        setThreadName(settings.name)
        var running: [UInt: Running] = [:]
        while follow(takeCommands(), &running) {
            var count: Int32 = 0
            unsafe curl_multi_perform(multi, &count)
            finishEnded(&running)
            finishStalled(&running)
            // Without memory or descriptors for the poll, this would return at once, again and again.
            if unsafe curl_multi_poll(multi, nil, 0, pause(running), nil) != CURLM_OK { usleep(10_000) }
        }
        unsafe curl_multi_cleanup(multi)
    }

    /// Blocks signals, which are for other threads. Above all, SIGPIPE of a broken TLS connection must not end the
    /// process.
    private func blockSignals() {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    private func takeCommands() -> [Command] {
        mailbox.withLock { mailbox in
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
    }

    /// Executes commands. Returns `false` when the thread must end.
    private func follow(_ commands: [Command], _ running: inout [UInt: Running]) -> Bool {
        for (index, command) in commands.enumerated() {
            switch command {
            case .start(let id, let request, let reply):
                start(request, id: id, reply, &running)
            case .look(let id):
                guard let entry = running[id], !entry.transfer.goesOn() else { continue }
                running[id] = nil
                finish(entry, CURLE_ABORTED_BY_CALLBACK)
            case .cancel(let id):
                guard let entry = running.removeValue(forKey: id) else { continue }
                cancel(entry)
            case .answer(let answer): answer()
            case .preempt(let id, let cause):
                guard let entry = running.removeValue(forKey: id) else { continue }
                entry.transfer.preempt(cause)
                finish(entry, CURLE_ABORTED_BY_CALLBACK)
            case .stop:
                let unread = mailbox.withLock { mailbox in
                    mailbox.isOpen = false
                    return mailbox.commands
                }
                for entry in running.values { cancel(entry) }
                running = [:]
                for command in commands[(index + 1)...] + unread {
                    switch command {
                    case .start(_, let request, let reply):
                        reply.resume(returning: TransferResult(failure: request.cancelled()))
                    case .answer(let answer): answer()
                    case .look, .cancel, .preempt, .stop: break
                    }
                }
                return false
            }
        }
        return true
    }

    private func start(_ request: TransferRequest, id: UInt, _ reply: Reply, _ running: inout [UInt: Running]) {
        do throws(AttachmentFailure) {
            // The cancellation may have come before the request.
            guard request.file.contents.ending == nil else { throw request.cancelled() }
            let transfer = try Transfer(request, id: id, settings: settings)
            guard unsafe curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
                throw AttachmentFailure(.download, .resourceLimit, "The worker has no memory for another download.")
            }
            running[id] = Running(transfer: transfer, request: request, reply: reply)
        } catch {
            reply.resume(returning: TransferResult(failure: error))
        }
    }

    private func cancel(_ entry: Running) {
        let result = entry.transfer.cancelledResult
        unsafe curl_multi_remove_handle(multi, entry.transfer.handle)
        entry.reply.resume(returning: result)
    }

    private func finishEnded(_ running: inout [UInt: Running]) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else {
                continue
            }
            // The message is gone once its handle is taken out.
            let code = unsafe message.pointee.data.result
            var id: UnsafeMutableRawPointer?
            unsafe ccurl_getinfo_pointer(handle, CURLINFO_PRIVATE, &id)
            guard let entry = running.removeValue(forKey: UInt(bitPattern: id)) else { continue }
            finish(entry, code)
        }
    }

    private func finishStalled(_ running: inout [UInt: Running]) {
        let now = SystemTime().now
        for (id, entry) in running where entry.transfer.isStalled(now: now) {
            running[id] = nil
            finish(entry, CURLE_ABORTED_BY_CALLBACK)
        }
    }

    private func finish(_ entry: Running, _ code: CURLcode) {
        let result = entry.transfer.result(code)
        unsafe curl_multi_remove_handle(multi, entry.transfer.handle)
        entry.reply.resume(returning: result)
    }

    /// Returns the milliseconds until the next stall is due, at most a minute. libcurl's own timers cut it short.
    private func pause(_ running: [UInt: Running]) -> Int32 {
        guard let due = running.values.compactMap(\.transfer.stallDue).min() else { return 60_000 }
        let left = (due - SystemTime().now).milliseconds + 1
        return Int32(min(max(left, 0), 60_000))
    }
}
