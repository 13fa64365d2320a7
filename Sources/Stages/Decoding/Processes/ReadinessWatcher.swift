import Base
import CLinux
import Glibc
import Media
import Sandbox
import Synchronization

/// Something that waits for sockets and processes in place of tasks: a thread, or the loop of a simulation.
protocol Readiness: Sendable {
    /// Waits until `descriptor` can be read or is closed at the other end, or the task is cancelled.
    ///
    /// The caller keeps it open, and is the only one that waits for it.
    func waitUntilReadable(_ descriptor: Int32) async

    /// Calls `answer` among its other work, to show that it runs.
    func answer(_ answer: @escaping @Sendable () -> Void)

    /// Ends the waiting. No task may be waiting any more.
    func stop()
}

/// A thread that waits for sockets and processes, so that no task blocks the threads that all tasks share.
final class ReadinessWatcher: Readiness {
    private struct State {
        /// The tasks that wait, each with its descriptor. The kernel knows them by their identities; 0 is `signal`.
        var waiters = Waiters<Int32, Void>()
        /// The closures that the thread calls next, to show that it runs.
        var answers: [@Sendable () -> Void] = []
        var isStopped = false
    }

    private let epoll: Int32
    /// The descriptor that wakes the thread for `answers`, or to end.
    private let signal: Int32
    private let state = Mutex(State())

    private init(epoll: Int32, signal: Int32) {
        self.epoll = epoll
        self.signal = signal
    }

    deinit {
        close(epoll)
        close(signal)
    }

    static func start() throws(SystemError) -> ReadinessWatcher {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("epoll_create1") }
        let signal = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        let watcher = ReadinessWatcher(epoll: epoll, signal: signal)
        guard clinux_epoll_add(epoll, signal, 0) == 0 else { throw SystemError("epoll_ctl") }
        // The thread holds the watcher until it is stopped.
        try OwnThread.start("decoders") { watcher.watch() }
        return watcher
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        eventfd_write(signal, 1)
    }

    /// Asks the thread to call `answer`. A stopped thread is never stalled, so it is not asked.
    func answer(_ answer: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.answers.append(answer) }
            return state.isStopped
        }
        if isStopped { answer() } else { eventfd_write(signal, 1) }
    }

    func waitUntilReadable(_ descriptor: Int32) async {
        var isWatched = true
        await withWaiter { waiter in
            state.withLock { state -> Void? in
                guard clinux_epoll_add(epoll, descriptor, UInt(waiter.id.rawValue)) == 0 else {
                    isWatched = false
                    return ()
                }
                state.waiters.add(waiter, descriptor)
                return nil
            }
        } onCancel: { id in
            wake(id)
        }
        // The kernel has no memory for another descriptor to watch. The caller looks itself, but not without a pause.
        if !isWatched { try? await Task.sleep(for: Self.pause) }
    }

    private static let pause: Duration = .milliseconds(20)

    private func wake(_ id: WaiterID) {
        let entry = state.withLock { state in
            let entry = state.waiters.remove(id)
            if let entry { _ = clinux_epoll_remove(epoll, entry.note) }
            return entry
        }
        entry?.waiter.resume()
    }

    private func watch() {
        while true {
            var token: UInt = 0
            let count = unsafe clinux_epoll_wait(epoll, &token)
            guard count >= 0 else { return }
            guard count == 1 else { continue }
            if token != 0 { wake(WaiterID(rawValue: UInt64(token))) } else if receiveSignal() { return }
        }
    }

    /// Reads the signal. Returns whether the thread must end.
    private func receiveSignal() -> Bool {
        var count: eventfd_t = 0
        unsafe eventfd_read(signal, &count)
        // Each wait watches the descriptor once.
        _ = clinux_epoll_remove(epoll, signal)
        _ = clinux_epoll_add(epoll, signal, 0)
        let (answers, isStopped) = state.withLock { state in
            defer { state.answers = [] }
            return (state.answers, state.isStopped)
        }
        for answer in answers { answer() }
        return isStopped
    }
}
