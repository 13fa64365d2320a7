import Base
import FleetMemory
import Jobs
import Media
import Storage
import Support
import Synchronization
import Testing

/// Random histories of a fleet, one step after another, and the rule that nothing is served once its deletion was answered
/// (SECURITY D1).
@Suite("Random histories of deletions in a fleet", .timeLimit(.minutes(10)))
struct FleetHistoryTests {
    /// A worker: its knowledge, and the files that it has.
    private final class Worker: Sendable {
        let knowledge: FleetKnowledge
        private let files = Mutex<Set<String>>([])
        private let gone = Mutex<Set<String>>([])
        private let store: Switch

        /// The connection to the fleet's store, which can be cut.
        private final class Switch: FleetStore {
            private let store: any FleetStore
            private let isCut = Mutex(false)

            init(_ store: any FleetStore) { self.store = store }

            func cut(_ isCut: Bool) { self.isCut.withLock { $0 = isCut } }

            private func check() throws {
                guard !isCut.withLock(\.self) else { throw JobQueueError(.unavailable, "The test says so.") }
            }

            func record(_ file: String, of source: String, for lifetime: Duration) async throws {
                try check()
                try await store.record(file, of: source, for: lifetime)
            }

            func files(of source: String) async throws -> [String] {
                try check()
                return try await store.files(of: source)
            }

            func takeBack(_ files: [String], source: String?, for lifetime: Duration) async throws -> TakenBack {
                try check()
                return try await store.takeBack(files, source: source, for: lifetime)
            }

            func marks(after version: FleetVersion, leaseTime: Duration?) async throws -> [FleetMark] {
                try check()
                return try await store.marks(after: version, leaseTime: leaseTime)
            }

            func workers(knowing version: FleetVersion) async throws -> (live: Int, behind: Int) {
                try check()
                return try await store.workers(knowing: version)
            }

            func entry(_ name: String) async throws -> [UInt8]? {
                try check()
                return try await store.entry(name)
            }

            func keep(_ value: [UInt8], as name: String, onlyIfMissing: Bool) async throws {
                try check()
                try await store.keep(value, as: name, onlyIfMissing: onlyIfMissing)
            }

            func value(of field: String, in table: String) async throws -> [UInt8]? {
                try check()
                return try await store.value(of: field, in: table)
            }

            func set(_ field: String, in table: String, to value: [UInt8], for lifetime: Duration) async throws {
                try check()
                try await store.set(field, in: table, to: value, for: lifetime)
            }

            func remove(table: String) async throws {
                try check()
                try await store.remove(table: table)
            }
        }

        init(_ name: String, in fleet: MemoryFleet, _ time: TestTime) {
            knowledge = FleetKnowledge(keep: .seconds(86_400), time: time, recorder: NoRecorder<FleetEvent>())
            store = Switch(fleet.store(of: name))
            knowledge.connect(store) { [self] mark, _ in
                files.withLock { $0.subtract(mark.files) }
                gone.withLock { $0.formUnion(mark.files) }
            }
        }

        func cut(_ isCut: Bool) { store.cut(isCut) }

        /// Makes a file, unless its content was taken back here. Returns whether it did.
        func make(_ file: AttachmentIdentifier, of source: String) async -> Bool {
            guard !gone.withLock({ $0.contains(file.description) }) else { return false }
            await knowledge.record(file.description, of: source)
            files.withLock { _ = $0.insert(file.description) }
            return true
        }

        /// Returns whether the worker would send a file that it has.
        func serves(_ file: AttachmentIdentifier) -> Bool {
            files.withLock { $0.contains(file.description) } && knowledge.mayServe(file.description)
        }
    }

    private struct File {
        var identifier: AttachmentIdentifier
        var source: String
        /// The workers that made it while they could not ask, and have not asked since.
        var madeAnew: Set<Int> = []
        var isForgotten = false
    }

    @Test(
        "nothing is served once its deletion was answered, but by who makes it anew and cannot ask",
        arguments: 0..<500
    )
    func history(seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let time = TestTime()
        let fleet = MemoryFleet(time: time)
        var workers = (0..<3).map { Worker("\($0)", in: fleet, time) }
        var cut: Set<Int> = []
        var files: [File] = []
        /// Has a worker ask. From then on, it knows all deletions so far.
        func learn(_ index: Int) async {
            await workers[index].knowledge.learn()
            guard !cut.contains(index) else { return }
            for file in files.indices { files[file].madeAnew.remove(index) }
        }
        for _ in 0..<120 {
            let index = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1, 2: await learn(index)
            case 3, 4:
                let isNew = files.isEmpty || Bool.random(using: &random)
                if isNew {
                    let letters = "abcdefghijklmnopqrstuvwxyz234567"
                    let name = String((0..<26).map { _ in letters.randomElement(using: &random) ?? "a" })
                    guard let identifier = AttachmentIdentifier(name + ".jpg") else { continue }
                    files.append(File(identifier: identifier, source: "https://a/\(files.count)"))
                }
                let file = isNew ? files.count - 1 : Int.random(in: 0..<files.count, using: &random)
                let isCurrent = workers[index].knowledge.isCurrent
                guard await workers[index].make(files[file].identifier, of: files[file].source) else { continue }
                if !isCurrent || cut.contains(index) {
                    files[file].madeAnew.insert(index)
                } else {
                    #expect(!files[file].isForgotten, "seed \(seed), worker \(index) makes what was taken back")
                }
            case 5, 6:
                guard !files.isEmpty, !cut.contains(index) else { continue }
                let file = Int.random(in: 0..<files.count, using: &random)
                let mark = try await workers[index].knowledge.takeBack([], source: files[file].source).mark
                // All that can ask do so, or their leases end, before the deletion is answered.
                for other in workers.indices where !cut.contains(other) { await learn(other) }
                while try await fleet.store(of: "test").workers(knowing: mark.version).behind > 0 {
                    time.advance(by: .milliseconds(100))
                }
                guard mark.files.contains(files[file].identifier.description) else { continue }
                files[file].isForgotten = true
            case 7:
                let isCut = cut.insert(index).inserted
                if !isCut { cut.remove(index) }
                workers[index].cut(isCut)
            case 8:
                // It was killed, and starts with an empty store.
                workers[index] = Worker("\(index)", in: fleet, time)
                for file in files.indices { files[file].madeAnew.remove(index) }
                if cut.contains(index) { workers[index].cut(true) }
                await learn(index)
            default: time.advance(by: .milliseconds(Int.random(in: 0...1_500, using: &random)))
            }
            for file in files where file.isForgotten {
                for (index, worker) in workers.enumerated() where !file.madeAnew.contains(index) {
                    #expect(!worker.serves(file.identifier), "seed \(seed), worker \(index)")
                }
            }
        }
    }
}
