import FleetMemory
import JobsContract
import Support
import Testing

@Suite("The contracts on Redis", .needsRedis, .sharedServer, .timeLimit(.minutes(10)))
struct ContractTests {
    @Test("the queue keeps its contract", arguments: QueueRule.all)
    func rule(_ rule: QueueRule) async throws { try await rule.check(RedisStore(SharedServer.get())) }

    @Test("the fleet's store keeps its contract", arguments: FleetRule.all)
    func rule(_ rule: FleetRule) async throws {
        let store = try RedisStore(SharedServer.get())
        try await rule.check((a: try store.queue(), b: try store.queue()))
        try await store.close()
    }
}

@Suite("The contract of a fleet's store in memory", .timeLimit(.minutes(10)))
struct MemoryFleetTests {
    @Test("is kept by the store that other tests use", arguments: FleetRule.all)
    func rule(_ rule: FleetRule) async throws {
        let fleet = MemoryFleet()
        try await rule.check((a: fleet.store(of: "a"), b: fleet.store(of: "b")))
    }
}
