package import Base

/// The division of a fixed amount of memory among sources: how much each source has, and which source gets more next. It
/// is state only, without side effects.
///
/// A source of known size gets all of its memory at once, or waits. A source of unknown size grows in steps. It gets a
/// step only if all growing sources can still be finished one after the other (Dijkstra's banker's algorithm). A quarter
/// of the memory is only for small sources.
package struct MemoryPool: Sendable {
    /// The memory of one source.
    package struct Reservation: Sendable, Equatable {
        /// The bytes that the source has.
        package fileprivate(set) var granted = 0
        /// The number of these bytes that are written. Only written bytes take memory of the machine.
        package var written = 0
        /// The bytes that the source needs to continue.
        package fileprivate(set) var target = 0
        /// A Boolean value that indicates whether the target is all that the source will need.
        fileprivate var isWhole = false
        /// The most bytes that the source may ever need.
        fileprivate let most: Int
        /// The instant at which a result is due.
        package var urgency: Instant
        /// The instant at which memory was granted last.
        fileprivate var since: Instant
        /// A Boolean value that indicates whether a decoder reads the bytes, so that they cannot be taken back.
        package var isOpened = false
        /// A Boolean value that indicates whether the bytes are being taken back.
        fileprivate var isLeaving = false
        /// A Boolean value that indicates whether the bytes could not be taken back, and never will be: a decoder reads them, or
        /// the source has ended.
        fileprivate var isKept = false
        /// A Boolean value that indicates whether the bytes were taken back, and with them the connection.
        fileprivate var isAway = false
        /// The number of sources that got memory before this more urgent one.
        fileprivate var passes = 0

        package var isWaiting: Bool { target > granted }
        fileprivate var waitsConnected: Bool { isWaiting && !isAway && !isLeaving }
        fileprivate var mayLeave: Bool { !isOpened && !isKept }
        /// The bytes that a source takes from the pool. A writer may exceed its grant by one packet.
        package var held: Int { max(granted, written) }
        fileprivate var growth: Int { max(0, target - held) }
    }

    /// The consequences of a decision.
    package enum Change: Sendable, Equatable {
        /// The source has more memory, and may go on.
        case granted(Int)
        /// The source sent too slowly for its reservation, and keeps only its written bytes.
        case trimmed(Int)
        /// The source must give back its bytes, and begin again later: see ``gaveBack(_:)``.
        case takesBack(Int)
        /// The source must end with the bytes that it has, because a decoder reads them.
        case ends(Int)
    }

    package struct Rule: Sendable {
        /// The first step in bytes of a source of unknown size. Each later step doubles what it has, up to the last one.
        package var firstStep = 262_144
        package var lastStep = 4_194_304
        /// The time after a grant before the pace is judged.
        package var paceDelay: Duration = .seconds(1)
        /// The number of sources that may pass a larger, more urgent one.
        package var passes = 8
        /// The number of sources that may keep their connections while they wait, whatever the number of their sites.
        /// There is room for this many more transfers than requests.
        package var waitingLimit = Self.waitingLimit

        package static let waitingLimit = 128

        package init() {}
    }

    package let byteLimit: Int
    private let rule: Rule
    private var reservations: [Int: Reservation] = [:]
    private var waitingCount = 0

    package init(byteLimit: Int, rule: Rule = Rule()) {
        self.byteLimit = byteLimit
        self.rule = rule
    }

    /// The memory that only small sources may have: a quarter.
    package var reserve: Int { byteLimit / 4 }
    /// The size up to which a source is small: a 64th of the memory, so that sixteen fit into the reserve, and at least
    /// 2 MiB where that is no more than a quarter of the reserve. Nearly all pictures of notifications are smaller.
    package var smallLimit: Int { max(byteLimit / 64, min(2_097_152, reserve / 4)) }
    /// The largest source that fits when it is alone.
    package var largest: Int { byteLimit - reserve }
    package var heldBytes: Int { reservations.values.reduce(0) { $0 + $1.held } }
    package var isWaitedFor: Bool { waitingCount > 0 }

    package subscript(id: Int) -> Reservation? { reservations[id] }
    package var ids: Dictionary<Int, Reservation>.Keys { reservations.keys }

    /// Applies `change` to the caller's information about a reservation.
    package mutating func update(_ id: Int, _ change: (inout Reservation) -> Void) {
        self.change(id, change)
    }

    /// Adds a source that needs `most` bytes or fewer.
    package mutating func add(_ id: Int, most: Int, urgency: Instant) {
        reservations[id] = Reservation(most: min(most, largest), urgency: urgency, since: urgency)
    }

    /// Reserves `byteCount` bytes more than are written, which is all that the source needs for now.
    ///
    /// - Returns: Whether it can have so much at all.
    package mutating func reserve(_ byteCount: Int, for id: Int) -> Bool {
        guard let reservation = reservations[id], byteCount <= largest - reservation.written else { return false }
        setTarget(reservation.written + byteCount, of: id, isWhole: true)
        return true
    }

    /// Reserves a further step, at least of `byteCount` bytes.
    ///
    /// - Returns: Whether it can have so much at all.
    package mutating func grow(_ id: Int, by byteCount: Int) -> Bool {
        guard let reservation = reservations[id], byteCount <= largest - reservation.written else { return false }
        // What was announced was wrong, or was taken back.
        let step = max(byteCount, min(max(rule.firstStep, reservation.written), rule.lastStep))
        let isKnown = reservation.isWhole && reservation.written + byteCount <= reservation.target
        let target = isKnown ? reservation.target : min(reservation.written + step, largest)
        setTarget(target, of: id, isWhole: isKnown)
        return true
    }

    private mutating func setTarget(_ target: Int, of id: Int, isWhole: Bool) {
        change(id) { reservation in
            reservation.target = max(target, reservation.granted)
            reservation.isWhole = isWhole
        }
    }

    /// Gives back what a source has reserved and not written: it gets no more bytes.
    package mutating func settle(_ id: Int) {
        change(id) { reservation in
            reservation.granted = reservation.written
            reservation.target = reservation.written
        }
    }

    /// Ends a reservation.
    package mutating func end(_ id: Int) {
        if reservations.removeValue(forKey: id)?.isWaiting == true { waitingCount -= 1 }
    }

    /// Takes back the bytes of a source after ``Change/takesBack(_:)``. It waits for all of them again.
    package mutating func gaveBack(_ id: Int) {
        change(id) { reservation in
            reservation.granted = 0
            reservation.written = 0
            reservation.isLeaving = false
            reservation.isAway = true
        }
    }

    /// Keeps the bytes of a source after ``Change/takesBack(_:)``: a decoder was quicker, or the source has ended. They are
    /// not asked for again.
    package mutating func keep(_ id: Int) { change(id) { ($0.isLeaving, $0.isKept) = (false, true) } }

    private mutating func change(_ id: Int, _ change: (inout Reservation) -> Void) {
        guard var reservation = reservations[id] else { return }
        let wasWaiting = reservation.isWaiting
        change(&reservation)
        reservations[id] = reservation
        waitingCount += (reservation.isWaiting ? 1 : 0) - (wasWaiting ? 1 : 0)
    }
}

// MARK: - Granting

extension MemoryPool {
    /// Grants memory to sources that wait, the most urgent first.
    package mutating func grant(at now: Instant) -> [Change] {
        guard isWaitedFor else { return [] }
        var changes: [Change] = []
        var passed = grantInOrder(at: now, &changes)
        if let first = passed.first, trim(for: first, at: now, &changes) { passed = grantInOrder(at: now, &changes) }
        if !passed.isEmpty { relieve(passed, &changes) }
        disconnect(&changes)
        return changes
    }

    /// Grants one source the bytes that it waits for, if they are free and no other source waits.
    package mutating func grantAtOnce(_ id: Int, at now: Instant) -> Bool {
        guard let reservation = reservations[id] else { return false }
        guard reservation.isWaiting else { return true }
        guard waitingCount == 1, fits(reservation, id) else { return false }
        give(id, at: now)
        return true
    }

    private mutating func give(_ id: Int, at now: Instant) {
        change(id) { reservation in
            reservation.granted = reservation.target
            reservation.since = now
            reservation.isAway = false
            reservation.passes = 0
        }
    }

    private func isLarge(_ byteCount: Int) -> Bool { byteCount > smallLimit }

    private func held(large: Bool) -> Int {
        reservations.values.reduce(0) { isLarge($1.held) == large ? $0 + $1.held : $0 }
    }

    private mutating func grantInOrder(at now: Instant, _ changes: inout [Change]) -> [Int] {
        let waiting = reservations.filter(\.value.isWaiting).sorted {
            ($0.value.urgency, $0.key) < ($1.value.urgency, $1.key)
        }
        var passed: [Int] = []
        for (id, reservation) in waiting where !reservation.isLeaving {
            guard mayPass(passed, reservation), fits(reservation, id) else {
                passed.append(id)
                continue
            }
            give(id, at: now)
            if isLarge(reservation.target) { for other in passed { reservations[other]?.passes += 1 } }
            changes.append(.granted(id))
        }
        return passed
    }

    /// Returns whether a source may have memory before the more urgent ones in `passed`, which wait for it.
    private func mayPass(_ passed: [Int], _ reservation: Reservation) -> Bool {
        let others = passed.compactMap { reservations[$0] }
        guard !others.isEmpty else { return true }
        // Small sources wait for small ones only.
        guard isLarge(reservation.target) else {
            return others.allSatisfy { isLarge($0.target) } && held(large: false) + reservation.growth <= reserve
        }
        guard others.allSatisfy({ isLarge($0.target) }) else { return false }
        // What has bytes already goes on: the others can only have its memory once it has ended.
        return reservation.held > 0 || others.allSatisfy { $0.passes < rule.passes }
    }

    private func fits(_ reservation: Reservation, _ id: Int) -> Bool {
        guard heldBytes + reservation.growth <= byteLimit else { return false }
        guard isLarge(reservation.target) else { return true }
        let large = held(large: true) - (isLarge(reservation.held) ? reservation.held : 0) + reservation.target
        return large <= largest && isSafe(granting: id, large)
    }

    /// Returns whether all large sources can be finished one after the other once `id` has what it waits for, and large
    /// ones have `held` bytes together.
    private func isSafe(granting id: Int, _ held: Int) -> Bool {
        var others = reservations.filter { isLarge($0.value.held) || $0.key == id }
        others[id]?.granted = reservations[id]?.target ?? 0
        guard others.values.contains(where: { !$0.isWhole }) else { return true }
        var free = largest - held
        for reservation in others.values.sorted(by: { need(of: $0) < need(of: $1) }) {
            guard need(of: reservation) <= free else { return false }
            free += reservation.held
        }
        return true
    }

    /// The bytes that a source may still need. One of unknown size is not expected to need more than half of what the
    /// largest may: otherwise no two could grow at a time.
    private func need(of reservation: Reservation) -> Int {
        let bound = reservation.isWhole ? reservation.target : max(reservation.target, largest / 2)
        return max(0, min(bound, reservation.most) - reservation.held)
    }

    /// Takes back the unused reservations of sources that arrive too slowly for `waiting`: at their rate, they would need
    /// more than half of the time that `waiting` has left. An origin can announce any size without cost. Returns whether
    /// there were such sources.
    private mutating func trim(for waiting: Int, at now: Instant, _ changes: inout [Change]) -> Bool {
        guard let urgency = reservations[waiting]?.urgency else { return false }
        var hasTrimmed = false
        for (id, reservation) in reservations where !reservation.isWaiting && reservation.written < reservation.granted
        {
            let elapsed = now - reservation.since
            guard elapsed >= rule.paceDelay else { continue }
            let missing = Double(reservation.granted - reservation.written)
            guard missing * (elapsed / (urgency - now) * 2) > Double(reservation.written) || urgency <= now else {
                continue
            }
            change(id) { reservation in
                reservation.granted = reservation.written
                // The writer asks again when bytes come.
                reservation.target = reservation.written
                reservation.isWhole = false
            }
            changes.append(.trimmed(id))
            hasTrimmed = true
        }
        return hasTrimmed
    }

    /// Takes the bytes and the connections of the least urgent sources that wait, where more wait than may stay
    /// connected.
    private mutating func disconnect(_ changes: inout [Change]) {
        guard waitingCount > rule.waitingLimit else { return }
        let connected = reservations.filter(\.value.waitsConnected)
        let excess = connected.count - rule.waitingLimit
        guard excess > 0 else { return }
        let leastUrgent = connected.filter(\.value.mayLeave).sorted {
            ($0.value.urgency, $0.key) > ($1.value.urgency, $1.key)
        }
        for (id, _) in leastUrgent.prefix(excess) { takeBack(id, &changes) }
    }

    private mutating func takeBack(_ id: Int, _ changes: inout [Change]) {
        reservations[id]?.isLeaving = true
        changes.append(.takesBack(id))
    }

    /// Takes all bytes from one source if otherwise no source could continue: every source with memory waits for more, or a
    /// source that has outgrown the small ones makes these wait.
    private mutating func relieve(_ passed: [Int], _ changes: inout [Change]) {
        guard !reservations.values.contains(where: \.isLeaving) else { return }
        let holders = reservations.filter { $0.value.held > 0 }
        let waiting = holders.filter(\.value.isWaiting)
        var victims: [Int: Reservation] = [:]
        if holders.count == waiting.count {
            guard waiting.count > 1 else { return }
            victims = waiting
        } else if passed.contains(where: { reservations[$0].map { !isLarge($0.target) } ?? false }) {
            victims = waiting.filter { isLarge($0.value.target) && !isLarge($0.value.held) }
        }
        func least(_ candidates: [Int: Reservation]) -> Int? {
            candidates.max { ($0.value.urgency, $0.key) < ($1.value.urgency, $1.key) }?.key
        }
        if let id = least(victims.filter(\.value.mayLeave)) {
            takeBack(id, &changes)
        } else if let id = least(victims) {
            settle(id)
            changes.append(.ends(id))
        }
    }
}
