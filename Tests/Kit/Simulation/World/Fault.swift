/// Something that goes wrong for a while.
struct Fault: Sendable {
    enum Kind: Sendable, Hashable {
        /// The worker's process is killed, and another one starts at the end of the fault. If the machine loses its power,
        /// its connections stay open.
        case killed(worker: Int, losesPower: Bool)
        /// The worker stands still.
        case stopped(worker: Int)
        /// The worker is told to stop. Another one starts at the end of the fault.
        case drained(worker: Int)
        /// The worker is told to stop, and so is the next one, as soon as it starts.
        case drainedTwice(worker: Int)
        /// The worker reaches the queue, and not the fleet's store of deletions.
        case cutOff(worker: Int)
        case queueDown
        case queue(Faults.Queue)
        case origin(Int, Faults.Origin)
        case disk(worker: Int, Faults.Disk)
        case decoders(Faults.Decoder)
        case callbacks(Faults.Callback)
    }

    var kind: Kind
    var start: Duration
    var length: Duration

    var end: Duration { start + length }

    /// A Boolean value that indicates whether jobs may be late because of it.
    var delaysAnswers: Bool {
        switch kind {
        case .killed, .stopped, .drained, .drainedTwice, .queueDown, .queue: true
        case .cutOff, .origin, .disk, .decoders, .callbacks: false
        }
    }
}

/// The faults of a run, asked by what they befall.
///
/// `@unchecked Sendable`: a run has one thread.
final class Faults: @unchecked Sendable {
    enum Queue: String, Sendable, CaseIterable { case requestLost, answerLost, late, twice }
    enum Origin: String, Sendable, CaseIterable {
        case stalls, resets, slow, fails, busy, unreachable, announcesMore, announcesLess, redirects, loops
    }
    enum Disk: String, Sendable, CaseIterable { case full, slow, hangs, loses }
    enum Decoder: String, Sendable, CaseIterable { case die, hang, slow }
    enum Callback: String, Sendable, CaseIterable { case fails, busy, hangs, refuses }

    private let faults: [Fault]
    private let scheduler: Scheduler
    /// The times in which answers may have been delayed.
    private(set) var disturbances: [ClosedRange<Duration>]

    init(_ faults: [Fault], _ scheduler: Scheduler) {
        self.faults = faults
        self.scheduler = scheduler
        disturbances = faults.filter(\.delaysAnswers).map { $0.start...$0.end }
    }

    /// Records that something which no plan has delays answers until `end`.
    func addDisturbance(until end: Duration) { disturbances.append(scheduler.now...end) }

    private func first<Value>(_ choose: (Fault.Kind) -> Value?) -> Value? {
        let now = scheduler.now
        for fault in faults where fault.start <= now && now < fault.end {
            if let value = choose(fault.kind) { return value }
        }
        return nil
    }

    var isQueueUp: Bool { first { if case .queueDown = $0 { true } else { nil } } == nil }

    func isCutOff(worker number: Int) -> Bool { first { $0 == .cutOff(worker: number) ? true : nil } ?? false }

    /// A Boolean value that indicates whether nothing at all goes wrong in that time.
    func isQuiet(from start: Duration, to end: Duration) -> Bool {
        !faults.contains { $0.start <= end && $0.end >= start }
            && !disturbances.contains { $0.lowerBound <= end && $0.upperBound >= start }
    }

    /// Returns what befalls the next request of a worker: while a fault lasts, every third has it.
    func queueFault(of machine: Machine) -> Queue? {
        guard let fault = first({ if case .queue(let fault) = $0 { fault } else { nil } }) else { return nil }
        return Int.random(in: 0..<3) == 0 ? fault : nil
    }

    func origin(_ number: Int) -> Origin? {
        first { if case .origin(number, let fault) = $0 { fault } else { nil } }
    }

    func disk(ofWorker number: Int) -> Disk? {
        first { if case .disk(number, let fault) = $0 { fault } else { nil } }
    }

    var decoder: Decoder? { first { if case .decoders(let fault) = $0 { fault } else { nil } } }

    var callback: Callback? { first { if case .callbacks(let fault) = $0 { fault } else { nil } } }
}
