import Glibc
import Jobs

/// A process of its own beside the tests and the benchmarks of the queues, for these to measure or to kill.
///
///     queue-program churn QUEUE PREFIX          enqueues and answers jobs until it is killed, and says what it did
///     queue-program bench QUEUE WAITING JOBS    jobs that need no work, per second, while others wait
@main
struct QueueProgram {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 3, let command = arguments.first else { usage() }
        let queue = try await openQueue(arguments[2])
        switch (command, arguments.dropFirst(2).compactMap { Int($0) }) {
        case ("churn", _):
            try await Churn(queue: queue, prefix: arguments[3]).run()
        case ("bench", let numbers) where numbers.count == 2:
            try await IdleJobs(queue: queue, waiting: numbers[0], jobs: numbers[1]).run()
        default:
            usage()
        }
    }

    private static func usage() -> Never {
        say("usage: queue-program churn QUEUE PREFIX | bench QUEUE WAITING JOBS")
        exit(64)
    }
}

/// Writes a line at once: what is said was done, even if the process is killed the next moment.
func say(_ line: String) {
    let bytes = [UInt8]((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}
