import Base
import Media
import Support
import Testing

@testable import JobsRedis

@Suite("A sentinel's account of a primary and its replicas", .timeLimit(.minutes(10)))
struct NamedPrimaryTests {
    private static let server = HostAndPort(host: "127.0.0.1", port: 6379)

    private static func count(_ replicas: [[String: String]]) -> Int {
        let lists = replicas.map { fields in
            RedisReply.array(fields.flatMap { [.bytes(Array($0.key.utf8)), .bytes(Array($0.value.utf8))] })
        }
        return NamedPrimary.promotable(.array(lists), beside: server)
    }

    @Test(
        "a replica counts if the sentinels may promote it and it can have what was acknowledged",
        arguments: [
            ([:], true), (["slave-priority": "0"], false), (["last-ok-ping-reply": "5000"], false),
            (["master-host": "?"], false), (["master-link-status": "err", "master-link-down-time": "4000"], true),
            (["master-link-status": "err", "master-link-down-time": "6000"], false),
            (["master-link-status": "err", "master-link-down-time": "-1000"], false),
            (["role-reported": "master", "flags": "slave,promoted"], true),
            (["ip": "127.0.0.1", "port": "6380"], true), (["ip": "127.0.0.1", "port": "6379"], false),
        ]
    )
    func promotable(change: [String: String], expected: Bool) {
        let replica = ScriptedSentinel.promotable.merging(change) { _, new in new }
        #expect(Self.count([replica]) == (expected ? 1 : 0))
        let other = ScriptedSentinel.promotable.merging(["runid": "2"]) { _, new in new }
        #expect(Self.count([replica, other]) == (expected ? 2 : 1))
    }

    @Test("a replica that is there under two addresses counts once")
    func twoAddresses() {
        let other = ScriptedSentinel.promotable.merging(["port": "7000"]) { _, new in new }
        #expect(Self.count([ScriptedSentinel.promotable, other]) == 1)
    }

    @Test("a reply of another shape names no server and no replica")
    func malformed() {
        let replies: [RedisReply] = [
            .null, .integer(1), .array([.null]), .array([.array([.bytes([])])]), .array([.array([.null, .null])]),
        ]
        for reply in replies {
            #expect(NamedPrimary.server(reply) == nil)
            #expect(NamedPrimary.promotable(reply, beside: Self.server) == 0)
        }
    }

    @Test("real sentinels name the primary and two replicas", .needsRedis)
    func realSentinels() async throws {
        let group = try await RedisGroup()
        defer { group.kill() }
        let addresses = group.sentinelPorts.map { HostAndPort(host: "127.0.0.1", port: $0) }
        let sentinels = SentinelGroup(addresses, name: RedisGroup.name, timeLimit: .seconds(10))
        let dialer = try RedisDialer(RedisSettings(sentinels: sentinels), time: SystemTime())
        let finder = PrimaryFinder(sentinels, dialer)
        // A sentinel first has to ask the replicas whom they follow.
        var promotable = 0
        while promotable < 2 { promotable = (try? await finder.promotable(inPlaceOf: finder.primary())) ?? 0 }
        #expect(promotable == 2)
    }

    @Test("the highest count of the sentinels that name the server counts, if they are most", .needsRedis)
    func several() async throws {
        let (old, new) = (try RedisServer(), try RedisServer())
        let promotable = ScriptedSentinel.promotable
        let scripted = [
            ScriptedSentinel(naming: old.port), ScriptedSentinel(naming: old.port, replicas: [promotable]),
            ScriptedSentinel(naming: new.port, replicas: [promotable, promotable.merging(["runid": "2"]) { $1 }]),
        ]
        var sentinels: [ScriptedServer] = []
        for sentinel in scripted { sentinels.append(try await sentinel.start()) }
        let settings = ScriptedSentinel.settings(sentinels.map(\.port))
        let group = try #require(settings.sentinels)
        let finder = PrimaryFinder(group, try RedisDialer(settings, time: SystemTime()))
        let server = HostAndPort(host: "127.0.0.1", port: old.port)
        #expect(try await finder.promotable(inPlaceOf: server) == 1)
        scripted[1].name(new.port)
        await #expect(throws: RedisError.refusedForNow("Most sentinels no longer name \(server).")) {
            try await finder.promotable(inPlaceOf: server)
        }
        for sentinel in sentinels { await sentinel.stop() }
        await #expect(throws: RedisError.self) { try await finder.promotable(inPlaceOf: server) }
    }
}
