import CSimulation
import Digests
import Glibc

@testable import Simulation

/// `simulate SEEDS [FIRST]` runs that many simulations, `simulate --seed SEED` one of them with its history.
@main
enum Simulate {
    private static let help =
        "usage: simulate SEEDS [FIRST] | simulate --seed SEED | simulate --coverage SEEDS [FIRST] | "
        + "simulate --mutants [SEEDS] | simulate --find SEEDS"

    static func main() {
        guard unsafe csimulation_fix_addresses(CommandLine.unsafeArgv) == 0 else {
            fail("The addresses of this program cannot be fixed, so no run could be repeated.")
        }
        Run.warmUp()
        var arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--seed":
            guard arguments.count == 2, let seed = UInt64(arguments[1]) else { fail(help) }
            show(Plan(seed: seed))
        case "--coverage":
            arguments.removeFirst()
            runSeeds(arguments, showsCoverage: true)
        case "--mutants":
            guard arguments.count <= 2 else { fail(help) }
            tryMutants(limit: arguments.count == 2 ? UInt64(arguments[1]) ?? 1000 : 1000)
        case "--find":
            guard arguments.count == 2, let limit = UInt64(arguments[1]), limit > 0 else { fail(help) }
            find(limit: limit)
        default: runSeeds(arguments, showsCoverage: false)
        }
    }

    private static func runSeeds(_ arguments: [String], showsCoverage: Bool) {
        guard let count = arguments.first.flatMap({ UInt64($0) }), count > 0, arguments.count <= 2,
            let first = arguments.count == 2 ? UInt64(arguments[1]) : 1
        else { fail(help) }
        let all = SHA256()
        var coverage: [String: Int] = [:]
        var failed: (Plan, Report)?
        var steps = 0
        var runner = Runner(processCount: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        runner.run((first..<first + count).lazy.map { Plan(seed: $0) }) { plan, report in
            coverage.merge(report.coverage) { $0 + $1 }
            steps += report.stepCount
            let line = Array("\(report.seed) \(report.digest)\n".utf8)
            unsafe line.withUnsafeBytes { unsafe all.update($0) }
            if report.rule != nil { failed = (plan, report) }
            return failed == nil
        }
        if let (plan, report) = failed { explain(plan, report) }
        if showsCoverage {
            // The counts of this process belong to no run.
            csimulation_drop_counts()
            for (name, count) in coverage.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(name)") }
        }
        print("seeds \(first)–\(first + count - 1): \(steps) steps, no rule broken, \(Hexadecimal.text(all.finish()))")
    }

    /// Counts the seeds that find each deliberate break, up to `limit`.
    private static func tryMutants(limit: UInt64) {
        print("| break | seeds | rule |\n|---|---|---|")
        var missed = 0
        for mutant in Mutant.allCases {
            let found = firstFailure(limit, mutant)
            if found == nil { missed += 1 }
            print("| \(mutant.rawValue) | \(found.map { "\($0.seed)" } ?? "not in \(limit)") | \(found?.rule ?? "") |")
        }
        exit(missed == 0 ? 0 : 1)
    }

    /// Prints the first seed that breaks a rule, and the rule.
    private static func find(limit: UInt64) {
        guard let found = firstFailure(limit, nil) else { fail("No rule is broken by \(limit) seeds.") }
        print(found.seed, found.rule ?? "")
    }

    private static func firstFailure(_ limit: UInt64, _ mutant: Mutant?) -> Report? {
        var found: Report?
        var runner = Runner(processCount: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let plans = (1...limit).lazy.map { seed in
            var plan = Plan(seed: seed)
            plan.mutant = mutant
            return plan
        }
        runner.run(plans) { _, report in
            if report.rule != nil { found = report }
            return found == nil
        }
        return found
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
