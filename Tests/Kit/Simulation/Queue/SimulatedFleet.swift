import FleetMemory
import Jobs

/// The fleet's store of deletions as a worker sees it, over its connection.
struct SimulatedFleet: FleetStore {
    let line: QueueLine
    let knowledge: ForgetChecks.Knowledge

    func record(_ file: String, of source: String, for lifetime: Duration) async throws {
        try await ask { $0.record(file, of: source, for: lifetime) }
    }

    func files(of source: String) async throws -> [String] { try await ask { $0.files(of: source) } }

    func takeBack(_ files: [String], source: String?, for lifetime: Duration) async throws -> TakenBack {
        let checks = line.server.forgets
        return try await ask {
            let taken = $0.takeBack(files, source: source, for: lifetime)
            checks.marked(taken.mark)
            return taken
        }
    }

    func marks(after version: FleetVersion, leaseTime: Duration?) async throws -> [FleetMark] {
        let server = line.server
        let (time, marks) = try await ask { (server.now, $0.marks(after: version, leaseTime: leaseTime)) }
        if marks.isEmpty { knowledge.learned(asOf: time) }
        return marks
    }

    func workers(knowing version: FleetVersion) async throws -> (live: Int, behind: Int) {
        try await ask { $0.workers(knowing: version) }
    }

    func entry(_ name: String) async throws -> [UInt8]? { try await ask { $0.entry(name) } }

    func keep(_ value: [UInt8], as name: String, onlyIfMissing: Bool) async throws {
        try await ask { $0.keep(value, as: name, onlyIfMissing: onlyIfMissing) }
    }

    func value(of field: String, in table: String) async throws -> [UInt8]? {
        try await ask { $0.value(of: field, in: table) }
    }

    func set(_ field: String, in table: String, to value: [UInt8], for lifetime: Duration) async throws {
        try await ask { $0.set(field, in: table, to: value, for: lifetime) }
    }

    func remove(table: String) async throws { try await ask { $0.remove(table: table) } }

    private func ask<Value: Sendable>(_ question: @escaping @Sendable (MemoryFleet.Member) -> Value) async throws
        -> Value
    {
        let name = line.machine.name
        return try await line.ask { server, answer in answer(question(server.fleet.member(name))) }
    }
}
