import Base
import CAres
import CLinux
import Glibc
import Synchronization

/// The one thread on which all queries run.
final class QueryLoop: Sendable {
    /// The process has no descriptor, thread or memory for the loop.
    struct StartError: Error {}

    private enum Command {
        case start(number: UInt64, host: String)
        case stop(number: UInt64)
        case answer(@Sendable () -> Void)
        case end
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isOpen = true
    }

    private let rule: ResolverRule
    private let servers: String?
    private let ended: @Sendable (UInt64, QueryOutcome) -> Void
    /// The descriptor that wakes the thread. It is open as long as the mailbox.
    private let bell: Int32
    private let mailbox = Mutex(Mailbox())

    /// Starts the thread. It calls `ended` with each query that ended.
    init(
        _ rule: ResolverRule,
        servers: String?,
        ended: @escaping @Sendable (UInt64, QueryOutcome) -> Void,
    ) throws(StartError) {
        // The call does nothing but prepare c-ares' memory functions, and counts how often it was made.
        guard Self.libraryStatus == ARES_SUCCESS else { throw StartError() }
        self.rule = rule
        self.servers = servers
        self.ended = ended
        bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard bell >= 0 else { throw StartError() }
        try startThread()
    }

    private static let libraryStatus = ares_library_init(ARES_LIB_INIT_ALL)

    func start(_ number: UInt64, _ host: String) { post(.start(number: number, host: host)) }

    /// Ends a query now. Its outcome is a timeout, or the addresses that have come so far.
    func stop(_ number: UInt64) { post(.stop(number: number)) }

    /// Asks the thread to call `answer`, to show that it runs. A thread that has ended is not asked.
    func answer(_ answer: @escaping @Sendable () -> Void) {
        if !post(.answer(answer)) { answer() }
    }

    /// Ends all queries without an outcome. The thread ends.
    func stop() { post(.end) }

    /// Posts a command. Returns whether the thread will read it.
    @discardableResult
    private func post(_ command: Command) -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.isOpen else { return false }
            mailbox.commands.append(command)
            eventfd_write(bell, 1)
            return true
        }
    }

    private func startThread() throws(StartError) {
        do throws(SystemError) {
            // The thread keeps the loop alive, and releases it when it ends.
            try OwnThread.start("names") { self.runThread() }
        } catch {
            close(bell)
            throw StartError()
        }
    }

    // MARK: - On the thread

    private func runThread() {
        var running: [UInt64: NameQuery] = [:]
        while follow(takeCommands(), &running) {
            for (number, query) in running {
                guard let outcome = query.outcome else { continue }
                running[number] = nil
                query.end()
                ended(number, outcome)
            }
            wait(running)
        }
        for query in running.values { query.end() }
        close(bell)
    }

    private func takeCommands() -> [Command] {
        mailbox.withLock { mailbox in
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
    }

    /// Executes commands. Returns `false` when the thread must end.
    private func follow(_ commands: [Command], _ running: inout [UInt64: NameQuery]) -> Bool {
        for command in commands {
            switch command {
            case .start(let number, let host): running[number] = NameQuery(host, rule, servers: servers)
            case .stop(let number): running[number]?.end()
            case .answer(let answer): answer()
            case .end:
                let unread = mailbox.withLock { mailbox in
                    mailbox.isOpen = false
                    return mailbox.commands
                }
                for case .answer(let answer) in commands + unread { answer() }
                return false
            }
        }
        return true
    }

    /// Waits for commands, sockets and c-ares' timers, and lets each query read and write.
    private func wait(_ running: [UInt64: NameQuery]) {
        // A query that ended at once, such as one of a name in /etc/hosts, is reported before the thread waits.
        guard running.values.allSatisfy({ $0.outcome == nil }) else { return }
        var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
        var sockets: [(query: NameQuery, range: Range<Int>)] = []
        var pause: Int32 = -1
        for query in running.values {
            let start = polled.count
            query.appendSockets(to: &polled)
            sockets.append((query, start..<polled.count))
            if let left = query.pause { pause = pause < 0 ? left : min(pause, left) }
        }
        // Without memory for the poll, this would return at once, again and again.
        if unsafe poll(&polled, nfds_t(polled.count), pause) < 0, errno != EINTR { usleep(10_000) }
        if polled[0].revents != 0 {
            var count: eventfd_t = 0
            unsafe eventfd_read(bell, &count)
        }
        for (query, range) in sockets { query.process(polled[range]) }
    }
}
