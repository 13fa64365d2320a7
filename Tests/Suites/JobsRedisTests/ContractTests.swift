import JobsContract
import Support
import Testing

@Suite("The contract on Redis", .needsRedis, .sharedServer, .timeLimit(.minutes(10)))
struct ContractTests {
    @Test("the queue keeps its contract", arguments: QueueRule.all)
    func rule(_ rule: QueueRule) async throws { try await rule.check(RedisStore(SharedServer.get())) }
}
