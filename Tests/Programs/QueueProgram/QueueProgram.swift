import Glibc
import Jobs

/// A separate process that the tests and benchmarks of the queues measure or kill.
///
///     queue-program churn QUEUE PREFIX          enqueues and answers jobs until it is killed, and prints each step
///     queue-program bench QUEUE WAITING JOBS    measures jobs without work per second while others wait
@main
struct QueueProgram {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { usage() }
        let queue = try await openQueue(arguments[1])
        switch (arguments[0], arguments.dropFirst(2).compactMap { Int($0) }) {
        case ("churn", _) where arguments.count == 3:
            try await Churn(queue: queue, prefix: arguments[2]).run()
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

/// Writes a line at once, so that every printed step was done, even if the process is killed the next moment.
func say(_ line: String) {
    let bytes = [UInt8]((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}
