import CSimulation
import Files
import Glibc

@testable import Simulation

/// `simulate SEEDS [FIRST]` runs that many simulations, `simulate --seed SEED` one of them with its history.
@main
enum Simulate {
    private static let help =
        "usage: simulate SEEDS [FIRST] | simulate --seed SEED | simulate --find SEEDS"

    static func main() {
        guard unsafe csimulation_fix_addresses(CommandLine.unsafeArgv) == 0 else {
            fail("The addresses of this program cannot be fixed, so no run could be repeated.")
        }
        Run.warmUp()
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--seed":
            guard arguments.count == 2, let seed = UInt64(arguments[1]) else { fail(help) }
            show(Plan(seed: seed))
        case "--find":
            guard arguments.count == 2, let limit = UInt64(arguments[1]), limit > 0 else { fail(help) }
            find(limit: limit)
        default: runSeeds(arguments)
        }
    }

    private static func runSeeds(_ arguments: [String]) {
        guard let count = arguments.first.flatMap({ UInt64($0) }), count > 0, arguments.count <= 2,
            let first = arguments.count == 2 ? UInt64(arguments[1]) : 1
        else { fail(help) }
        let all = SHA256()
        var failed: (Plan, Report)?
        var steps = 0
        var runner = Runner(processCount: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        runner.run((first..<first + count).lazy.map { Plan(seed: $0) }) { plan, report in
            steps += report.stepCount
            let line = Array("\(report.seed) \(report.digest)\n".utf8)
            unsafe line.withUnsafeBytes { unsafe all.update($0) }
            if report.rule != nil { failed = (plan, report) }
            return failed == nil
        }
        if let (plan, report) = failed { explain(plan, report) }
        print("seeds \(first)–\(first + count - 1): \(steps) steps, no rule broken, \(Hexadecimal.text(all.finish()))")
    }

    /// Prints the first seed that breaks a rule, and the rule.
    private static func find(limit: UInt64) {
        var found: Report?
        var runner = Runner(processCount: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        runner.run((1...limit).lazy.map { Plan(seed: $0) }) { _, report in
            if report.rule != nil { found = report }
            return found == nil
        }
        guard let found else { fail("No rule is broken by \(limit) seeds.") }
        print(found.seed, found.rule ?? "")
    }

    /// Shrinks a failing run and prints it.
    private static func explain(_ plan: Plan, _ report: Report) -> Never {
        print("seed \(plan.seed) breaks \(report.rule ?? ""): \(report.message)")
        var shrinking = Shrinking(plan, report)
        shrinking.shrink()
        print("shrunk in \(shrinking.runCount) runs from \(report.lineCount) lines to \(shrinking.report.lineCount):\n")
        show(shrinking.plan)
        exit(1)
    }

    /// Prints a plan and the history of its run.
    private static func show(_ plan: Plan) {
        for (number, worker) in plan.workers.enumerated() { print("worker \(number): \(worker)") }
        for task in plan.tasks { print("job \(task.id): \(task.timeLimit) from \(task.at), \(task.source.url)") }
        for fault in plan.faults { print("fault \(fault.kind) from \(fault.start) for \(fault.length)") }
        for forget in plan.forgets { print("forget \(forget.source.url) at \(forget.at), file: \(forget.namesFile)") }
        let outcome = Run.outcome(of: plan)
        print(String(decoding: outcome.history, as: UTF8.self))
        print("seed \(plan.seed): \(outcome.lineCount) lines, \(Hexadecimal.text(outcome.digest))")
    }

    private static func fail(_ message: String) -> Never {
        let line = "error: \(message)\n"
        _ = unsafe line.withCString { unsafe write(2, $0, strlen($0)) }
        exit(2)
    }
}
