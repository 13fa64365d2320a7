/// The search for the shortest run that still breaks a rule.
struct Shrinking {
    private let runner = Runner(processCount: 1)
    private let rule: String
    /// The orders of events that are tried for each shorter plan.
    private static let orders: [UInt64] = [0, 1, 2, 3]

    private(set) var plan: Plan
    private(set) var report: Report
    private(set) var runCount = 0

    init(_ plan: Plan, _ report: Report) {
        self.plan = plan
        self.report = report
        rule = report.rule ?? ""
    }

    /// Leaves out jobs, faults and options until each of them is needed.
    mutating func shrink() {
        while shrinkOnce() {}
    }

    private mutating func shrinkOnce() -> Bool {
        var isShorter = false
        let paths = [\Plan.tasks as any PartList, \Plan.faults, \Plan.forgets]
        for path in paths where path.shrink(&self) { isShorter = true }
        for index in plan.tasks.indices {
            for simpler in plan.tasks[index].simpler {
                var shorter = plan
                shorter.tasks[index] = simpler
                if keep(shorter) { isShorter = true }
            }
        }
        return isShorter
    }

    /// Takes the plan if a run of it breaks the same rule.
    fileprivate mutating func keep(_ shorter: Plan) -> Bool {
        for order in Self.orders {
            var candidate = shorter
            if order > 0 { candidate.seed = order }
            runCount += 1
            let found = runner.report(on: candidate)
            guard found.rule == rule else { continue }
            (plan, report) = (candidate, found)
            return true
        }
        return false
    }
}

/// A list of parts of a plan.
private protocol PartList {
    func shrink(_ shrinking: inout Shrinking) -> Bool
}

extension WritableKeyPath: PartList where Root == Plan, Value: RangeReplaceableCollection, Value.Index == Int {
    fileprivate func shrink(_ shrinking: inout Shrinking) -> Bool {
        var isShorter = false
        var size = shrinking.plan[keyPath: self].count
        while size > 0 {
            var start = 0
            while start < shrinking.plan[keyPath: self].count {
                var shorter = shrinking.plan
                let end = min(start + size, shorter[keyPath: self].count)
                shorter[keyPath: self].removeSubrange(start..<end)
                if shrinking.keep(shorter) { isShorter = true } else { start += size }
            }
            size /= 2
        }
        return isShorter
    }
}

extension Plan.Task {
    /// The task with one of its options left out.
    fileprivate var simpler: [Plan.Task] {
        var tasks: [Plan.Task] = []
        func add(_ isNeeded: Bool, _ change: (inout Plan.Task) -> Void) {
            guard isNeeded else { return }
            var task = self
            change(&task)
            tasks.append(task)
        }
        add(hasCallback) { $0.hasCallback = false }
        add(again != nil) { $0.again = nil }
        add(cancelled != nil) { $0.cancelled = nil }
        add(profile != nil) { $0.profile = nil }
        add(source.content != .jpeg) { $0.source.content = .jpeg }
        add(tenant != "default") { $0.tenant = "default" }
        return tasks
    }
}
