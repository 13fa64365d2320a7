import CLinux
import Dispatch
import Glibc
import Synchronization
import Timing

/// The watch over the threads of all loops: a thread that looks at each loop forty times a second while any has requests.
///
/// It judges a loop by the clock of the loop's own thread, not by the time that passes: on a full machine an honest thread
/// is slow, too.
final class LoopWatch: Sendable {
    static let ofThisProcess = LoopWatch()

    private struct State {
        var loops: [ObjectIdentifier: TransferLoop] = [:]
        /// The answers to the heartbeat's questions.
        var answers: [@Sendable () -> Void] = []
        /// A Boolean value that indicates whether the thread waits until it is woken.
        var isResting = false
    }

    private static let name = "transfers"
    private static let pause: DispatchTimeInterval = .milliseconds(25)

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)
    private let heartbeat = Mutex<LoopHeartbeat?>(nil)

    private init() {}

    /// Begins to show that the watch is alive, before there is a loop.
    static func begin() { ofThisProcess.start() }

    func add(_ loop: TransferLoop) {
        start()
        state.withLock { $0.loops[ObjectIdentifier(loop)] = loop }
        wake()
    }

    /// Has the watch look at all loops again, if it rests.
    func wake() {
        let wasResting = state.withLock { state in
            defer { state.isResting = false }
            return state.isResting
        }
        if wasResting { wakeUp.signal() }
    }

    func remove(_ loop: TransferLoop) { state.withLock { $0.loops[ObjectIdentifier(loop)] = nil } }

    /// Starts the thread once. Everything that transfers needs the watch, so its heartbeat makes the worker ready.
    private func start() {
        heartbeat.withLock { heartbeat in
            guard heartbeat == nil else { return }
            heartbeat = LoopHeartbeat(Self.name) { answer in
                self.state.withLock { $0.answers.append(answer) }
                self.wake()
            }
            var thread = pthread_t()
            let status = unsafe pthread_create(&thread, nil, { _ in LoopWatch.ofThisProcess.run() }, nil)
            precondition(status == 0, "The process cannot start a thread. Raise the limit of threads (ulimit -u).")
            pthread_detach(thread)
        }
    }

    private func run() -> Never {
        setThreadName(Self.name)
        while true {
            let (loops, answers) = state.withLock { state in
                defer { state.answers = [] }
                return (state.loops.values, state.answers)
            }
            for answer in answers { answer() }
            for loop in loops { loop.examine() }
            state.withLock { $0.isResting = true }
            // What came before is seen here; what comes later wakes the thread.
            if isIdle {
                wakeUp.wait()
            } else {
                state.withLock { $0.isResting = false }
                _ = wakeUp.wait(timeout: .now() + Self.pause)
            }
        }
    }

    private var isIdle: Bool {
        let (loops, answers) = state.withLock { ($0.loops.values, $0.answers) }
        return answers.isEmpty && !loops.contains(where: \.isBusy)
    }
}

/// The identity of a running thread, by which another thread reads its processor clock and sets its priority.
struct ThreadIdentity: Sendable {
    private let clock: clockid_t
    private let number: pid_t

    /// Returns the calling thread's identity; `nil` if the kernel gives no clock for it.
    static func ofThisThread() -> ThreadIdentity? {
        var clock = clockid_t()
        guard unsafe pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return nil }
        return ThreadIdentity(clock: clock, number: clinux_thread_number())
    }

    /// The processor time that the thread has used; `nil` after its end.
    var processorTime: Duration? {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Sets the thread's nice value. Any process may raise that of its own threads.
    ///
    /// Not SCHED_IDLE: a thread that never runs keeps the locks that it has, such as those of the allocator.
    func yield(_ nice: Int32) { _ = clinux_yield_thread(number, nice) }
}
