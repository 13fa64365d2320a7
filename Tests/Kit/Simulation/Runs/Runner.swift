import CSimulation
import Glibc

/// Runs plans in processes of their own, several at once, so that each begins in the same state, and may crash or hang.
struct Runner {
    private struct Child {
        var number: Int
        var plan: Plan
        var output: Int32
    }

    private let processCount: Int
    /// The time in seconds after which a process hangs. A simulation takes a fraction of a second.
    private static let patience: UInt32 = 30
    private var children: [Int32: Child] = [:]

    init(processCount: Int) { self.processCount = max(1, processCount) }

    /// Runs the plans, and calls `onReport` in their order.
    mutating func run(_ plans: some Sequence<Plan>, _ onReport: (Plan, Report) -> Bool) {
        var (next, begun) = (0, 0)
        var waiting: [Int: (Plan, Report)] = [:]
        var plans = plans.makeIterator()
        var isOver = false
        while true {
            while !isOver, children.count < processCount, let plan = plans.next() {
                start(plan, begun)
                begun += 1
            }
            guard let (number, plan, report) = awaitEnd() else { return }
            waiting[number] = (plan, report)
            while let (plan, report) = waiting.removeValue(forKey: next) {
                if !isOver { isOver = !onReport(plan, report) }
                next += 1
            }
        }
    }

    /// Runs one plan.
    func report(on plan: Plan) -> Report {
        var runner = Runner(processCount: 1)
        var report = Report(plan.seed, ended: "did not start")
        runner.run([plan]) { _, found in
            report = found
            return true
        }
        return report
    }

    private mutating func start(_ plan: Plan, _ number: Int) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        let pid = csimulation_fork()
        if pid == 0 {
            close(ends[0])
            alarm(Self.patience)
            let text = Array(Report(plan.seed, Run.outcome(of: plan)).text.utf8)
            unsafe text.withUnsafeBytes { _ = unsafe write(ends[1], $0.baseAddress, $0.count) }
            _exit(0)
        }
        close(ends[1])
        if pid > 0 { children[pid] = Child(number: number, plan: plan, output: ends[0]) } else { close(ends[0]) }
    }

    private mutating func awaitEnd() -> (Int, Plan, Report)? {
        guard !children.isEmpty else { return nil }
        var status: Int32 = 0
        let pid = unsafe waitpid(-1, &status, 0)
        guard let child = children.removeValue(forKey: pid) else { return nil }
        defer { close(child.output) }
        let seed = child.plan.seed
        let signal = status & 0x7F
        guard signal == 0 else { return (child.number, child.plan, Report(seed, ended: "signal \(signal)")) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe read(child.output, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        let report = Report(seed, text: String(decoding: text, as: UTF8.self))
        return (child.number, child.plan, report ?? Report(seed, ended: "no report"))
    }
}
