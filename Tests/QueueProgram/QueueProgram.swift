import FleetDay
import Glibc
import Jobs

/// A separate process that the tests and benchmarks of the queues measure or kill.
///
///     queue-program churn QUEUE PREFIX          enqueues and answers jobs until it is killed, and prints each step
///     queue-program produce QUEUE PREFIX JOBS   enqueues jobs and follows each of them to its answer
///     queue-program work QUEUE                  answers jobs until it is killed
///     queue-program day                         simulates a day of the rule for the number of workers, as CSV
///     queue-program bench QUEUE WAITING JOBS    measures jobs without work per second while others wait
@main
struct QueueProgram {
    static func main() async throws {
        let isStrict = CommandLine.arguments.contains("--strict")
        let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--strict" }
        if arguments == ["day"] { return printDay() }
        guard arguments.count >= 2 else { usage() }
        let queue = try await openQueue(arguments[1], isStrict: isStrict)
        switch (arguments[0], arguments.dropFirst(2).compactMap { Int($0) }) {
        case ("churn", _) where arguments.count == 3:
            try await Churn(queue: queue, prefix: arguments[2]).run()
        case ("produce", let numbers) where numbers.count == 1 && arguments.count == 4:
            try await TracedJobs(queue: queue, prefix: arguments[2], jobs: numbers[0]).run()
        case ("work", _):
            try await EchoWorker(queue: queue, numbersAnswers: true).run()
        case ("bench", let numbers) where numbers.count == 2:
            try await IdleJobs(queue: queue, waiting: numbers[0], jobs: numbers[1]).run()
        default:
            usage()
        }
    }

    private static func printDay() {
        say("time,arrivals,backlog,needed,asked,running,late")
        for minute in FleetDay.standard.run().minutes {
            let numbers = [
                minute.time, minute.arrivals, minute.backlog, minute.needed, minute.asked, minute.running, minute.late,
            ]
            say(numbers.map { "\($0)" }.joined(separator: ","))
        }
    }

    private static func usage() -> Never {
        say(
            "usage: queue-program day | churn QUEUE PREFIX | produce QUEUE PREFIX JOBS | work QUEUE | bench QUEUE WAITING JOBS"
        )
        exit(64)
    }
}

/// Writes a line at once, so that every printed step was done, even if the process is killed the next moment.
func say(_ line: String) {
    let bytes = [UInt8]((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}
