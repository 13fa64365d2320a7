import CLinux
import Glibc
import Sandbox
import Synchronization

/// Waits for sockets and processes on a thread of its own, so that no task blocks the threads that all tasks share.
final class ReadinessWatcher: Sendable {
    private struct Waiter {
        var descriptor: Int32
        var wake: CheckedContinuation<Void, Never>
    }

    private struct State {
        /// By token. 0 is the token of `stopSignal`.
        var waiters: [UInt: Waiter] = [:]
        var nextToken: UInt = 1
    }

    private let epoll: Int32
    private let stopSignal: Int32
    private let state = Mutex(State())

    private init(epoll: Int32, stopSignal: Int32) {
        self.epoll = epoll
        self.stopSignal = stopSignal
    }

    deinit {
        close(epoll)
        close(stopSignal)
    }

    static func start() throws(SystemError) -> ReadinessWatcher {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("epoll_create1") }
        let stopSignal = eventfd(0, Int32(EFD_CLOEXEC))
        let watcher = ReadinessWatcher(epoll: epoll, stopSignal: stopSignal)
        guard clinux_epoll_add(epoll, stopSignal, 0) == 0 else { throw SystemError("epoll_ctl") }
        // The thread holds the watcher until it is stopped, and takes this reference with it.
        let context = unsafe Unmanaged.passRetained(watcher).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<ReadinessWatcher>.fromOpaque(context).takeRetainedValue().watch()
                }
                return nil
            },
            context,
        )
        guard code == 0 else {
            unsafe Unmanaged<ReadinessWatcher>.fromOpaque(context).release()
            throw SystemError("pthread_create", code: code)
        }
        pthread_detach(thread)
        return watcher
    }

    /// Ends the thread. Nobody may wait any more.
    func stop() { eventfd_write(stopSignal, 1) }

    /// Returns when `descriptor` can be read or is closed at the other end, or the task is cancelled.
    ///
    /// The caller keeps it open, and is the only one that waits for it.
    func waitUntilReadable(_ descriptor: Int32) async {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isRefused = state.withLock { state in
                    guard !Task.isCancelled, clinux_epoll_add(epoll, descriptor, token) == 0 else { return true }
                    state.waiters[token] = Waiter(descriptor: descriptor, wake: wake)
                    return false
                }
                if isRefused { wake.resume() }
            }
        } onCancel: {
            wake(token)
        }
    }

    private func wake(_ token: UInt) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiters.removeValue(forKey: token) else { return nil as Waiter? }
            _ = clinux_epoll_remove(epoll, waiter.descriptor)
            return waiter
        }
        waiter?.wake.resume()
    }

    private func watch() {
        while true {
            var token: UInt = 0
            let count = unsafe clinux_epoll_wait(epoll, &token)
            guard count >= 0, count == 0 || token != 0 else { return }
            if count == 1 { wake(token) }
        }
    }
}
