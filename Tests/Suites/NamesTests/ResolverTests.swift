import Base
import Foundation
import Support
import Synchronization
import Testing

@testable import HTTPClient

@Suite("Names are resolved", .serialized, .timeLimit(.minutes(10)))
struct ResolverTests {
    private struct NoAnswer: Error {}

    private let time = TestTime()

    /// Asks for a name of `site`, with as much time as c-ares takes.
    private func ask(
        _ resolver: NameResolver,
        _ host: String,
        for site: String = "example",
        within limit: Duration = .seconds(300),
    ) async -> NameTable.Answer {
        do throws(ResolverError) {
            return .success(try await resolver.addresses(of: host, for: site, until: time.now + limit))
        } catch {
            return .failure(error)
        }
    }

    private func addresses(_ texts: String...) -> NameTable.Answer { .success(texts.compactMap { IPAddress($0) }) }

    /// Calls `body` with a resolver of its own and its server, and ends both.
    private func withServer(
        _ rule: ResolverRule = ResolverRule(),
        _ reply: @escaping @Sendable (NameServer.Question) -> NameServer.Reply,
        _ body: (NameResolver, NameServer) async throws -> Void,
    ) async throws {
        let server = try NameServer(reply)
        defer { server.stop() }
        let resolver = NameResolver(rule, servers: server.address, time: time)
        defer { resolver.stop() }
        try await body(resolver, server)
    }

    @Test("a name's IPv4 and IPv6 addresses are found")
    func bothFamilies() async throws {
        try await withServer {
            $0.isForIPv6 ? .records([.address("::1")]) : .records([.address("127.0.0.1")])
        } _: {
            guard case .success(let found) = await ask($0, "Both.Example") else { throw NoAnswer() }
            #expect(Set(found) == Set(["::1", "127.0.0.1"].compactMap { IPAddress($0) }))
            #expect(Set($1.questions.map(\.name)) == ["both.example"])
        }
    }

    @Test("a chain of other names leads to the addresses, and the shortest time to live counts")
    func aliases() async throws {
        try await withServer { question in
            guard !question.isForIPv6 else { return .nothing }
            return .records([
                .alias("one.example", life: 40), .alias("two.example", life: 20), .alias("three.example", life: 50),
                .address("192.0.2.3", life: 60),
            ])
        } _: { resolver, server in
            #expect(await ask(resolver, "chain.example") == addresses("192.0.2.3"))
            time.advance(by: .seconds(19))
            #expect(await ask(resolver, "chain.example") == addresses("192.0.2.3"))
            #expect(server.questions.count == 2)
            time.advance(by: .seconds(1))
            #expect(await ask(resolver, "chain.example") == addresses("192.0.2.3"))
            #expect(server.questions.count == 4)
        }
    }

    @Test(
        "a name that does not exist, has no address, or cannot be written is not found",
        arguments: [
            "missing.example", "empty.example", String(repeating: "a", count: 64) + ".example", "a..b", "a b", "",
        ]
    )
    func notFound(host: String) async throws {
        try await withServer {
            $0.name.hasPrefix("missing") ? .code(3) : .nothing
        } _: { resolver, _ in
            #expect(await ask(resolver, host) == .failure(.notFound))
        }
    }

    @Test("a server that fails or refuses is a failure", arguments: [UInt8(2), 5])
    func serverFailure(code: UInt8) async throws {
        try await withServer { _ in
            .code(code)
        } _: { resolver, _ in
            #expect(await ask(resolver, "broken.example") == .failure(.failed))
        }
    }

    @Test("a server that does not exist is a failure")
    func noServer() async throws {
        let resolver = NameResolver(servers: "127.0.0.1:1", time: time)
        defer { resolver.stop() }
        #expect(await ask(resolver, "a.example") == .failure(.failed))
    }

    @Test("an address is not asked for", arguments: ["192.0.2.7", "2001:db8::7"])
    func literals(text: String) async throws {
        try await withServer { _ in
            .silence
        } _: { resolver, server in
            #expect(await ask(resolver, text) == addresses(text))
            #expect(server.questions.isEmpty)
            #expect(resolver.usage.threads == 0)
        }
    }

    @Test("names in /etc/hosts, and localhost, are found without a server")
    func hostsFile() async throws {
        let resolver = NameResolver(servers: "127.0.0.1:1", time: time)
        defer { resolver.stop() }
        let text = try String(contentsOfFile: "/etc/hosts", encoding: .utf8)
        var known = [("localhost", "127.0.0.1")]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count > 1 { known.append((String(words[1]), String(words[0]))) }
        }
        for (name, address) in known {
            guard case .success(let found) = await ask(resolver, name) else {
                Issue.record("\(name) is not found")
                continue
            }
            #expect(IPAddress(address).map(found.contains) == true)
        }
    }

    @Test(
        "search domains are tried, before a name with fewer dots than ndots, and after other names",
        arguments: [
            (2, "printer.floor", ["printer.floor.one.test", "printer.floor.two.test"]),
            (1, "printer.floor", ["printer.floor", "printer.floor.one.test", "printer.floor.two.test"]),
            (1, "printer.floor.two.test.", ["printer.floor.two.test"]),
        ],
    )
    func searchDomains(dots: Int, host: String, asked: [String]) async throws {
        let folder = try TemporaryFolder()
        var rule = ResolverRule()
        rule.configurationFile = try folder.write(
            "search one.test two.test\noptions ndots:\(dots)\n",
            to: "resolv.conf"
        )
        try await withServer(rule) { question in
            guard question.name == "printer.floor.two.test" else { return .code(3) }
            return question.isForIPv6 ? .nothing : .records([.address("192.0.2.4")])
        } _: { resolver, server in
            #expect(await ask(resolver, host) == addresses("192.0.2.4"))
            #expect(server.questions.filter { !$0.isForIPv6 }.map(\.name) == asked)
        }
    }

    @Test("options of resolv.conf count at the next query: no IPv6, TCP only")
    func options() async throws {
        let folder = try TemporaryFolder()
        var rule = ResolverRule()
        rule.configurationFile = try folder.write("", to: "resolv.conf")
        try await withServer(rule) {
            $0.isForIPv6 ? .nothing : .records([.address("192.0.2.5")])
        } _: {
            #expect(await ask($0, "a.example") == addresses("192.0.2.5"))
            try folder.write("options no-aaaa use-vc\n", to: "resolv.conf")
            #expect(await ask($0, "b.example") == addresses("192.0.2.5"))
            let later = $1.questions.filter { $0.name == "b.example" }
            #expect(later == [NameServer.Question(name: "b.example", type: 1, isOverTCP: true)])
        }
    }

    @Test("a truncated answer is asked for again over TCP")
    func truncation() async throws {
        try await withServer { question in
            if !question.isOverTCP { return .truncated }
            return question.isForIPv6 ? .nothing : .records((1...20).map { .address("192.0.2.\($0)") })
        } _: { resolver, server in
            guard case .success(let found) = await ask(resolver, "long.example") else { throw NoAnswer() }
            #expect(found.count == 20)
            #expect(server.questions.contains { $0.isOverTCP })
        }
    }

    @Test(
        "an answer with many addresses is cut, and one that is too long fails",
        arguments: [(400, true), (4000, false)]
    )
    func manyAddresses(count: Int, isRead: Bool) async throws {
        try await withServer { question in
            if !question.isOverTCP { return .truncated }
            if question.isForIPv6 { return .nothing }
            return .records((0..<count).map { .address("10.0.\($0 / 250).\($0 % 250)") })
        } _: { resolver, _ in
            switch await ask(resolver, "many.example") {
            case .success(let found):
                #expect(isRead)
                #expect(found.count == 32)
            case .failure(let error):
                #expect(!isRead)
                #expect(error == .failed)
            }
        }
    }

    @Test("an answer to another question is not taken")
    func forgery() async throws {
        var rule = ResolverRule()
        rule.answerTime = .milliseconds(200)
        let count = Atomic(0)
        try await withServer(rule) { question in
            if question.isForIPv6 { return .nothing }
            let isFirst = count.add(1, ordering: .relaxed).oldValue == 0
            return isFirst ? .otherNumber([.address("192.0.2.66")]) : .records([.address("192.0.2.6")])
        } _: { resolver, _ in
            #expect(await ask(resolver, "victim.example") == addresses("192.0.2.6"))
        }
    }

    @Test(
        "bytes that are not an answer do not disturb other names",
        arguments: [[UInt8](), [0], [UInt8](repeating: 0xFF, count: 512), [UInt8](repeating: 0xC0, count: 4000)],
        [false, true],
    )
    func garbage(bytes: [UInt8], isOverTCP: Bool) async throws {
        var rule = ResolverRule()
        rule.answerTime = .milliseconds(100)
        try await withServer(rule) { question in
            if question.name == "good.example" {
                return question.isForIPv6 ? .nothing : .records([.address("192.0.2.8")])
            }
            return isOverTCP && !question.isOverTCP ? .truncated : .bytes(bytes)
        } _: { resolver, _ in
            async let bad = ask(resolver, "bad.example")
            #expect(await ask(resolver, "good.example") == addresses("192.0.2.8"))
            let answer = await bad
            #expect(throws: ResolverError.self) { try answer.get() }
        }
    }

    @Test("random damage of an answer never does more than fail", arguments: 0..<8)
    func damage(seed: UInt64) async throws {
        var rule = ResolverRule()
        rule.answerTime = .milliseconds(50)
        rule.tries = 1
        let random = Mutex(seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        try await withServer(rule) { question in
            let bytes = (0..<200).map { _ in
                random.withLock { state in
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                    return UInt8(truncatingIfNeeded: state)
                }
            }
            return .damaged(bytes, records: [.alias("b.example"), .address("192.0.2.1"), .address("::1")])
        } _: { resolver, _ in
            await withTaskGroup { group in
                for index in 0..<40 { group.addTask { _ = await ask(resolver, "n\(index).example", for: "\(index)") } }
            }
            #expect(resolver.usage.inFlight == 0)
        }
    }

    @Test("the addresses that have come are delivered when the other family's answer does not come")
    func silentFamily() async throws {
        try await withServer {
            $0.isForIPv6 ? .silence : .records([.address("192.0.2.9")])
        } _: { resolver, server in
            async let answer = ask(resolver, "half.example")
            await server.questions { $0.count >= 2 }
            await time.sleeper(until: time.start + .seconds(5))
            time.advance(by: .seconds(5))
            #expect(await answer == addresses("192.0.2.9"))
        }
    }

    @Test(
        "an answer is kept for its time to live, at least a second and at most a minute",
        arguments: [(UInt32(0), 1), (30, 30), (86_400, 60)],
    )
    func timeToLive(life: UInt32, kept: Int) async throws {
        try await withServer {
            $0.isForIPv6 ? .nothing : .records([.address("192.0.2.1", life: life)])
        } _: {
            _ = await ask($0, "a.example")
            time.advance(by: .milliseconds(kept * 1000 - 1))
            _ = await ask($0, "a.example")
            #expect($1.questions.count == 2)
            time.advance(by: .milliseconds(1))
            _ = await ask($0, "a.example")
            #expect($1.questions.count == 4)
        }
    }

    @Test("the callers of one name share one query")
    func sharedQuery() async throws {
        let isOpen = Atomic(false)
        var rule = ResolverRule()
        rule.answerTime = .milliseconds(100)
        rule.tries = 5
        try await withServer(rule) { question in
            guard isOpen.load(ordering: .relaxed) else { return .silence }
            return question.isForIPv6 ? .nothing : .records([.address("192.0.2.1")])
        } _: { resolver, _ in
            await withTaskGroup(of: NameTable.Answer.self) { group in
                for _ in 0..<50 { group.addTask { await ask(resolver, "popular.example") } }
                #expect(resolver.usage.inFlight <= 1)
                isOpen.store(true, ordering: .relaxed)
                for await answer in group { #expect(answer == addresses("192.0.2.1")) }
            }
            #expect(resolver.usage == ResolverUsage(inFlight: 0, waiting: 0, threads: 1, cached: 1))
        }
    }

    @Test("a caller returns at its deadline, and at once if it is cancelled; its query ends (SECURITY N20)")
    func leaving() async throws {
        var rule = ResolverRule()
        rule.answerTime = .seconds(30)
        try await withServer(rule) { _ in
            .silence
        } _: { resolver, server in
            let late = Task { await ask(resolver, "late.example", for: "a", within: .seconds(1)) }
            let cancelled = Task { await ask(resolver, "left.example", for: "b") }
            await server.questions { Set($0.map(\.name)).count == 2 }
            cancelled.cancel()
            #expect(await cancelled.value == .failure(.cancelled))
            await time.sleeper(until: time.start + .seconds(1))
            time.advance(by: .seconds(1))
            #expect(await late.value == .failure(.timedOut))
            try await eventually { resolver.usage.inFlight == 0 }
            resolver.stop()
            #expect(resolver.usage == ResolverUsage())
            #expect(await ask(resolver, "after.example") == .failure(.cancelled))
            #expect(resolver.usage.threads == 0)
        }
    }

    @Test("a caller that was cancelled before starts no query")
    func cancelledBefore() async throws {
        try await withServer { _ in
            .silence
        } _: { resolver, _ in
            let caller = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await ask(resolver, "a.example")
            }
            #expect(await caller.value == .failure(.cancelled))
            #expect(resolver.usage == ResolverUsage())
        }
    }

    @Test("the thread answers while it waits for servers, and a thread that has ended is not asked")
    func heartbeat() async throws {
        var rule = ResolverRule()
        rule.answerTime = .seconds(30)
        let server = try NameServer { _ in .silence }
        defer { server.stop() }
        let loop = try QueryLoop(rule, servers: server.address) { _, _ in }
        loop.start(1, "a.example")
        await server.questions { !$0.isEmpty }
        let answers = [Signal(), Signal()]
        loop.answer { answers[0].send() }
        await answers[0].wait()
        loop.stop()
        loop.answer { answers[1].send() }
        await answers[1].wait()
    }

    @Test("2,000 names of a server that never answers take one thread and few descriptors, and hold back no other site")
    func silentServer() async throws {
        var rule = ResolverRule()
        rule.answerTime = .seconds(30)
        let siteLimit = rule.siteLimit
        try await withServer(rule) { question in
            if question.name.hasSuffix("slow.example") { return .silence }
            return question.isForIPv6 ? .nothing : .records([.address("192.0.2.1")])
        } _: { resolver, server in
            let (threads, descriptors) = (Self.count("task"), Self.count("fd"))
            try await withThrowingTaskGroup(of: NameTable.Answer.self) { group in
                for index in 0..<2000 {
                    group.addTask {
                        await ask(resolver, "\(index).slow.example", for: "slow", within: .seconds(3))
                    }
                }
                await server.questions { Set($0.map(\.name)).count == siteLimit }
                try await eventually { resolver.usage.waiting >= 2000 - rule.siteLimit }
                #expect(await ask(resolver, "fast.example", for: "fast") == addresses("192.0.2.1"))
                #expect(Self.threads(named: "names") == 1)
                #expect(Self.count("task") <= threads + 1)
                // The descriptor that wakes the thread, and one socket for each query.
                #expect(Self.count("fd") <= descriptors + 2 + rule.siteLimit)
                await time.sleeper(until: time.start + .seconds(3))
                time.advance(by: .seconds(3))
                var ends: [ResolverError: Int] = [:]
                for try await case .failure(let error) in group { ends[error, default: 0] += 1 }
                #expect(ends == [.timedOut: rule.siteLimit, .busy: 2000 - rule.siteLimit])
            }
            // The queries end with their callers. Then the site has few of them.
            try await eventually { resolver.usage.inFlight == 0 }
            #expect(resolver.usage.waiting == 0)
            for index in 0..<10 {
                Task { await ask(resolver, "again\(index).slow.example", for: "slow") }
            }
            try await eventually { resolver.usage.inFlight + resolver.usage.waiting >= 10 }
            #expect(resolver.usage.inFlight == rule.slowSiteLimit)
            resolver.stop()
            try await eventually { Self.threads(named: "names") == 0 }
        }
    }

    private static func count(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
    }

    private static func threads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == name + "\n"
        }
    }
}
