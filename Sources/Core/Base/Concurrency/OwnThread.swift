import CLinux
import Glibc

/// A thread outside Swift's pool, for work that blocks, and for what must not wait until the pool has a thread free.
package enum OwnThread {
    /// The nice value of an urgent thread, where the system allows it. The threads and processes that it starts do not get it:
    /// a thread of Swift's pool is started by whichever thread has work for it, and decoders by the pool.
    private static let urgentNice: Int32 = -10

    private final class Start: Sendable {
        let name: String
        let isUrgent: Bool
        let body: @Sendable () -> Void

        init(name: String, isUrgent: Bool, body: @escaping @Sendable () -> Void) {
            (self.name, self.isUrgent, self.body) = (name, isUrgent, body)
        }

        func run() {
            // Signals are for other threads. Above all, SIGPIPE of a broken TLS connection must not end the process.
            clinux_block_signals()
            setThreadName(name)
            if isUrgent { clinux_make_thread_urgent(OwnThread.urgentNice) }
            body()
        }
    }

    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Parameters:
    ///   - name: What `top -H` shows: at most 15 bytes.
    ///   - stackByteCount: The size of its stack; `nil` for the system's default, often 8 MB.
    ///   - isUrgent: Whether the kernel prefers it to other threads and programs, because it works for microseconds and
    ///     deadlines depend on it. This needs `CAP_SYS_NICE` or a limit (`LimitNICE=` of systemd); without them it runs as
    ///     all others do.
    ///   - body: The thread's work.
    /// - Throws: `SystemError` if the process may have no more threads.
    package static func start(
        _ name: String,
        stackByteCount: Int? = nil,
        isUrgent: Bool = false,
        body: @escaping @Sendable () -> Void,
    ) throws(SystemError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, isUrgent: isUrgent, body: body))
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if let stackByteCount { unsafe pthread_attr_setstacksize(&attributes, stackByteCount) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let code = unsafe pthread_create(
            &thread,
            &attributes,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            start.toOpaque(),
        )
        guard code == 0 else {
            unsafe start.release()
            throw SystemError("pthread_create", code: code)
        }
    }
}

/// Names the calling thread, as `top -H` shows it: at most 15 bytes.
package func setThreadName(_ name: String) {
    unsafe name.withCString { name in
        _ = clinux_process_control(PR_SET_NAME, UInt(bitPattern: name))
    }
}
