import Base
import FleetMemory
import Jobs
import Media
import Storage
import Support
import Synchronization
import Testing

/// Tests of SECURITY D1: who cannot ask what was taken back uses nothing that was made before.
@Suite("What a worker knows of deletions in its fleet", .timeLimit(.minutes(10)))
struct FleetKnowledgeTests {
    private let time = TestTime()
    private let fleet: MemoryFleet

    init() { fleet = MemoryFleet(time: time) }

    /// A worker, and the marks that it has applied.
    private final class Worker: Sendable {
        let knowledge: FleetKnowledge
        private let applied = Mutex<[FleetMark]>([])
        private let failing = Atomic(false)

        init(_ name: String, in fleet: MemoryFleet, _ time: TestTime) {
            knowledge = FleetKnowledge(keep: .seconds(86_400), time: time, recorder: NoRecorder<FleetEvent>())
            knowledge.connect(fleet.store(of: name)) { [self] mark, _ in
                if failing.load(ordering: .relaxed) { throw SystemError("remove", code: 5) }
                applied.withLock { $0.append(mark) }
            }
        }

        var files: [String] { applied.withLock { $0.flatMap(\.files) } }

        func fail(_ isFailing: Bool) { failing.store(isFailing, ordering: .relaxed) }
    }

    private func identifier(_ letter: Character) throws -> AttachmentIdentifier {
        try #require(AttachmentIdentifier(String(repeating: letter, count: 26) + ".jpg"))
    }

    @Test("what work made that began before the deletion, until its worker knew of it, is taken back, too")
    func late() async throws {
        let other = fleet.store(of: "other")
        let knowledge = Worker("one", in: fleet, time).knowledge
        try await other.record("first.jpg", of: "source", for: .seconds(60))
        let rounds = Mutex<[Set<String>]>([])
        let taken = try await knowledge.takeBack(["own.jpg"], source: "source") { files in
            let count = rounds.withLock { rounds in
                rounds.append(files)
                return rounds.count
            }
            if count == 1 { try await other.record("late.jpg", of: "source", for: .seconds(60)) }
        }
        #expect(
            rounds.withLock { $0.map { $0.subtracting(["own.jpg", "first.jpg"]) } } == [[], ["late.jpg"]]
        )
        #expect(taken.files == ["own.jpg", "first.jpg", "late.jpg"] && taken.first.isKnown)
        let marks = try await other.marks(after: taken.first.mark.version, leaseTime: .seconds(2))
        #expect(marks.flatMap(\.files).contains("late.jpg"))
    }

    @Test("a source that gives another picture each time does not keep its deletion from ending")
    func endless() async throws {
        let other = fleet.store(of: "other")
        let knowledge = Worker("one", in: fleet, time).knowledge
        let rounds = Mutex(0)
        let taken = try await knowledge.takeBack([], source: "source") { _ in
            let count = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            // Without a limit, this would go on.
            guard count < 10 else { return }
            try await other.record("\(count).jpg", of: "source", for: .seconds(60))
        }
        #expect(rounds.withLock(\.self) == 2 && taken.files == ["1.jpg"])
    }

    @Test("it is current for two seconds after it asked, and then serves only what it makes anew")
    func lease() async throws {
        let worker = Worker("a", in: fleet, time)
        let (earlier, anew) = (try identifier("a"), try identifier("b"))
        #expect(!worker.knowledge.isCurrent && !worker.knowledge.mayServe(earlier.description))
        await worker.knowledge.learn()
        await worker.knowledge.record(earlier.description, of: "https://a/1")
        #expect(worker.knowledge.isCurrent && worker.knowledge.mayServe(earlier.description))
        time.advance(by: .milliseconds(1_999))
        #expect(worker.knowledge.isCurrent)
        time.advance(by: .milliseconds(1))
        #expect(!worker.knowledge.isCurrent && !worker.knowledge.mayServe(earlier.description))
        await worker.knowledge.record(anew.description, of: "https://a/2")
        #expect(worker.knowledge.mayServe(anew.description) && !worker.knowledge.mayServe(earlier.description))
        await worker.knowledge.learn()
        #expect(worker.knowledge.mayServe(earlier.description))
        // The store knows the file that the worker made without a lease.
        let taken = try await Worker("b", in: fleet, time).knowledge.takeBack([], source: "https://a/2")
        #expect(taken.mark.files == [anew.description])
    }

    @Test("after it was cut off, it takes back what others did before it is current again")
    func cutOff() async throws {
        let (first, second) = (Worker("a", in: fleet, time), Worker("b", in: fleet, time))
        for worker in [first, second] { await worker.knowledge.learn() }
        let file = try identifier("a")
        await second.knowledge.record(file.description, of: "https://a/1")
        time.advance(by: .seconds(3))
        await first.knowledge.learn()
        let taken = try await first.knowledge.takeBack([], source: "https://a/1")
        await first.knowledge.learn()
        // Nobody waits for a worker without a lease.
        #expect(try await first.knowledge.whenKnown(taken.mark) == 1)
        #expect(second.files.isEmpty && !second.knowledge.isCurrent)
        second.fail(true)
        await second.knowledge.learn()
        #expect(!second.knowledge.isCurrent)
        second.fail(false)
        await second.knowledge.learn()
        #expect(second.knowledge.isCurrent && second.files == [file.description])
    }

    @Test("a deletion is answered only when every worker with a lease has taken it back")
    func waits() async throws {
        let (first, second) = (Worker("a", in: fleet, time), Worker("b", in: fleet, time))
        for worker in [first, second] { await worker.knowledge.learn() }
        let taken = try await first.knowledge.takeBack(["one.jpg"], source: nil)
        async let workers = first.knowledge.whenKnown(taken.mark)
        await first.knowledge.learn()
        await time.sleepers(1)
        #expect(second.files.isEmpty)
        await second.knowledge.learn()
        #expect(second.files == ["one.jpg"])
        try await eventually {
            time.advance(by: .milliseconds(50))
            return try await fleet.store(of: "c").workers(knowing: taken.mark.version).behind == 0
        }
        time.advance(by: .milliseconds(50))
        #expect(try await workers == 2)
    }

    @Test("a file that was made before the store could be asked is taken back with its source")
    func unrecorded() async throws {
        let (first, second) = (Worker("a", in: fleet, time), Worker("b", in: fleet, time))
        let file = try identifier("a")
        // It was never connected to a lease, so the store does not know the file.
        await second.knowledge.record(file.description, of: "https://a/1")
        let taken = try await first.knowledge.takeBack([], source: "https://a/1")
        #expect(taken.mark.files.isEmpty)
        await second.knowledge.learn()
        #expect(second.knowledge.isCurrent && second.files == [file.description])
        let again = try await first.knowledge.takeBack([], source: "https://a/1")
        #expect(again.mark.files == [file.description])
    }
}
