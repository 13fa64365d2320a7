package import Base
package import Jobs
import Synchronization

/// A fleet's store in memory, for tests: the reference of the contract.
package final class MemoryFleet: Sendable {
    fileprivate struct State {
        var made: [String: [String]] = [:]
        var taken: Set<String> = []
        var marks: [FleetMark] = []
        var entries: [String: [UInt8]] = [:]
        var tables: [String: (end: Instant, values: [String: [UInt8]])] = [:]
        var leases: [String: (end: Instant, version: Int)] = [:]
    }

    fileprivate let state = Mutex(State())
    fileprivate let time: any TimeSource

    package init(time: any TimeSource = SystemTime()) { self.time = time }

    /// Returns the store as the worker with that name sees it.
    package func store(of worker: String) -> any FleetStore { member(worker) }

    /// Returns the same store, which answers at once.
    package func member(_ worker: String) -> Member { Member(fleet: self, name: worker) }

    package struct Member: FleetStore {
        fileprivate let fleet: MemoryFleet
        fileprivate let name: String

        package func record(_ file: String, of source: String, for lifetime: Duration) {
            fleet.state.withLock { $0.made[source, default: []].append(file) }
        }

        package func files(of source: String) -> [String] { fleet.state.withLock { $0.made[source] ?? [] } }

        package func takeBack(_ files: [String], source: String?, for lifetime: Duration) -> TakenBack {
            fleet.state.withLock { state in
                var all = files
                for file in source.flatMap({ state.made[$0] }) ?? [] where !all.contains(file) { all.append(file) }
                let isMade = all.contains { file in state.made.values.contains { $0.contains(file) } }
                let names = all.map { "f \($0)" } + (source.map { ["s \($0)"] } ?? [])
                let isKnown = isMade || names.contains { state.taken.contains($0) }
                state.taken.formUnion(names)
                let version = FleetVersion("\(state.marks.count + 1)-0")
                state.marks.append(FleetMark(version: version, files: all, source: source))
                return TakenBack(mark: state.marks[state.marks.count - 1], isKnown: isKnown)
            }
        }

        package func marks(after version: FleetVersion, leaseTime: Duration?) -> [FleetMark] {
            let (known, now) = (Self.number(version), fleet.time.now)
            return fleet.state.withLock { state in
                state.leases[name] = leaseTime.map { (now + $0, known) }
                return leaseTime == nil ? [] : Array(state.marks.dropFirst(known))
            }
        }

        package func workers(knowing version: FleetVersion) -> (live: Int, behind: Int) {
            let (number, now) = (Self.number(version), fleet.time.now)
            return fleet.state.withLock { state in
                let live = state.leases.values.filter { $0.end > now }
                return (live.count, live.count { $0.version < number })
            }
        }

        package func entry(_ name: String) -> [UInt8]? { fleet.state.withLock { $0.entries[name] } }

        package func keep(_ value: [UInt8], as name: String, onlyIfMissing: Bool) {
            fleet.state.withLock { state in
                if !onlyIfMissing || state.entries[name] == nil { state.entries[name] = value }
            }
        }

        package func value(of field: String, in table: String) -> [UInt8]? {
            let now = fleet.time.now
            return fleet.state.withLock { state in
                state.tables[table].flatMap { $0.end > now ? $0.values[field] : nil }
            }
        }

        package func set(_ field: String, in table: String, to value: [UInt8], for lifetime: Duration) {
            let now = fleet.time.now
            fleet.state.withLock { state in
                var values = state.tables[table].flatMap { $0.end > now ? $0.values : nil } ?? [:]
                values[field] = value
                state.tables[table] = (now + lifetime, values)
            }
        }

        package func remove(table: String) { fleet.state.withLock { $0.tables[table] = nil } }

        private static func number(_ version: FleetVersion) -> Int { Int(version.text.prefix { $0 != "-" }) ?? 0 }
    }
}
