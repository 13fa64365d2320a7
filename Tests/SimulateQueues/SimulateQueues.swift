import Glibc

@testable import Simulation

/// `simulate-queues QUEUE SEEDS [FIRST]` runs that many simulations over a real queue: `sqlite:FOLDER`, or the URL of a Redis.
@main
enum SimulateQueues {
    /// The runs at once. They mostly wait.
    private static let processCount = 16

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard (2...3).contains(arguments.count), let count = UInt64(arguments[1]), count > 0,
            let first = arguments.count == 3 ? UInt64(arguments[2]) : 1
        else {
            print("usage: simulate-queues sqlite:FOLDER|redis://HOST:PORT SEEDS [FIRST]")
            exit(2)
        }
        var failures = 0
        var events: [String: Int] = [:]
        var runner = Runner(processCount: Self.processCount, patience: 200) {
            RealRun.report(on: $0, over: arguments[0])
        }
        runner.run((first..<first + count).lazy.map { Plan(seed: $0) }) { _, report in
            events.merge(report.coverage) { $0 + $1 }
            if let rule = report.rule {
                failures += 1
                print("seed \(report.seed) breaks \(rule): \(report.message)")
            }
            return true
        }
        let answers = events["WorkerEvent: answered Jobs"] ?? 0
        print("seeds \(first)–\(first + count - 1): \(answers) answers, \(failures) runs that break a rule")
        exit(failures == 0 ? 0 : 1)
    }
}
