import Base
import Decoding
import Foundation
import Media
import Support
import Testing

/// Tests that jobs are answered when their processes are killed.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DecoderDeathTests {
    @Test("when the decoder processes are killed in the middle of a job, the job is answered and the next one works")
    func child() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.whileWaiting { zygote in
                for child in zygote.children { kill(child, SIGKILL) }
            }
            // The kernel kills like this when the machine runs out of memory: that is not the source's fault (S10).
            #expect(conversion.failure?.reason == .resourceLimit)
            try await pool.expectGood()
            #expect(pool.status.restarts == 0 && pool.status.replacements == 0)
        }
    }

    @Test("when the zygote is killed in the middle of a job, the job is answered, and a new zygote does the next one")
    func zygote() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let first = try await pool.firstZygote()
            let children = first.children
            let conversion = try await pool.whileWaiting { zygote in kill(zygote.pid, SIGKILL) }
            #expect(conversion.failure?.reason == .decoderUnavailable)
            try await pool.expectGood()
            #expect(pool.status.restarts == 1)
            try await eventually { (children + [first.pid]).allSatisfy { Zygote(pid: $0).isGone } }
        }
    }

    @Test("when memory runs out, the kernel takes a decoder process before the worker")
    func outOfMemory() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let zygote = try await pool.firstZygote()
            func adjustment(_ process: String) throws -> Int? {
                Int(try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8).dropLast())
            }
            let own = try #require(try adjustment("self"))
            for pid in [zygote.pid] + zygote.children {
                #expect(try adjustment("\(pid)").map { $0 > own } == true)
            }
        }
    }

    @Test("decoder processes have a lower priority than the worker", arguments: ["attachd-decoder", "evil-decoder"])
    func priority(program: String) async throws {
        try await DecoderPool.with(program) { pool in
            let zygote = try await pool.firstZygote()
            try #require(!zygote.children.isEmpty)
            let own = try Self.niceness(of: "self")
            for pid in [zygote.pid] + zygote.children {
                #expect(try Self.niceness(of: "\(pid)") == min(own + 10, 19))
            }
        }
    }

    /// Returns the process's nice value. The name of the program, before the other fields, may contain spaces.
    private static func niceness(of process: String) throws -> Int {
        let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = stat[try #require(stat.lastIndex(of: ")"))...].split(separator: " ")
        return try #require(Int(fields[17]))
    }

    @Test(
        "S10: after a crash or a lie, the next jobs get processes with another memory layout",
        arguments: ["crash", "leave", "crash by a system call", "send garbage"],
    )
    func replaced(crash: String) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let before = try await pool.convert("tell its layout").source
            #expect(try await pool.convert("tell its layout").source == before)
            _ = try await pool.convert(crash)
            let after = try await pool.convert("tell its layout").source
            #expect(after != nil && after != before)
            try await pool.settles()
            #expect(pool.status.replacements == 1 && pool.status.restarts == 0)
        }
    }

    @Test("S10: a job that runs while another one's process crashes is finished by its own process")
    func underWay() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let file = try MediaFile(byteLimit: 10_000)
            try file.append(Array("wait for the end\n".utf8) + TestPicture.jpeg)
            async let slow = pool.convert(file)
            try await eventually { pool.status.children == 3 && pool.status.running == 0 }
            let zygote = pool.status.zygotePID
            _ = try await pool.convert("crash")
            try await pool.expectGoodJob()
            #expect(pool.status.zygotePID != zygote)
            file.end(.whole)
            #expect(await slow.failure?.reason == .corrupt)
            #expect(await slow.rungs.count == 1)
            try await pool.settles()
        }
    }

    @Test("S10: a kill at the deadline is not a crash", arguments: ["hang", "spin"])
    func deadline(order: String) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let file = try MediaFile(byteLimit: 100)
            try file.append(Array((order + "\n").utf8))
            file.end(.whole)
            #expect(await pool.convert(file, within: .milliseconds(100)).failure?.reason == .timedOut)
            try await pool.settles()
            #expect(pool.status.replacements == 0)
        }
    }

    @Test("S1, S10: during a series of crashes other jobs are done, and the zygote is replaced only a few times")
    func storm() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<50 {
                            let conversion = try await pool.convert("crash")
                            #expect(conversion.failure?.reason == .decoderDied)
                        }
                    }
                }
                group.addTask { for _ in 0..<30 { try await pool.expectGoodJob() } }
                try await group.waitForAll()
            }
            try await pool.settles()
            #expect(pool.status.restarts == 0)
            #expect((1...6).contains(pool.status.replacements))
        }
    }

    @Test("a killed spare is replaced")
    func spare() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let zygote = try await pool.firstZygote()
            let killed = try #require(zygote.children.first)
            kill(killed, SIGKILL)
            try await eventually { !zygote.children.contains(killed) }
            try await pool.settles()
            try await pool.expectGood()
        }
    }

    @Test("when the zygote is killed while nothing runs, the next job works", arguments: 0..<5)
    func idleZygote(run: Int) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let zygote = try await pool.firstZygote()
            kill(zygote.pid, SIGKILL)
            try await eventually { pool.status.restarts > 0 }
            try await pool.expectGood()
        }
    }

    @Test(
        "a program that is missing or is not a decoder fails each job with that reason",
        arguments: ["/nowhere", "/bin/true"]
    )
    func missing(path: String) async throws {
        try await DecoderPool.with(path) { pool in
            let conversion = try await pool.convert("be good")
            #expect(conversion.failure?.reason == .decoderUnavailable)
        }
    }

    @Test("shutting down answers running and waiting jobs, refuses others, and leaves no process")
    func shutDown() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let zygote = try await pool.firstZygote()
            let children = zygote.children
            let jobs = (0..<3).map { _ in Task { try await pool.convert("hang") } }
            try await eventually { pool.status.running == 2 && pool.status.waiting > 0 }
            await pool.shutDown()
            for job in jobs {
                #expect(try await job.value.failure?.reason == .decoderUnavailable)
            }
            let late = try await pool.convert("be good")
            #expect(late.failure?.reason == .decoderUnavailable)
            try await eventually { (children + [zygote.pid]).allSatisfy { Zygote(pid: $0).isGone } }
        }
    }
}

/// A zygote as the kernel shows it.
private struct Zygote {
    var pid: pid_t

    var children: [pid_t] {
        let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
    /// A Boolean value that is true once the process has ended, even if nobody has reaped it yet.
    var isGone: Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
        return stat.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }
}

extension DecoderPool {
    /// Waits until the spares are there, and returns the zygote.
    fileprivate func firstZygote() async throws -> Zygote {
        try await settles()
        return Zygote(pid: pid_t(try #require(status.zygotePID)))
    }

    /// Runs `attack` on the zygote during a job that waits for bytes, and returns the job's outcome.
    fileprivate func whileWaiting(_ attack: (Zygote) throws -> Void) async throws -> Conversion {
        let zygote = try await firstZygote()
        let file = try MediaFile(byteLimit: 10_000)
        try file.append(Array("wait for the end\n".utf8) + TestPicture.jpeg)
        let job = Task { await convert(file) }
        // A process that waits for bytes has the source, and its slot is another one's. If it were killed before, the job would
        // get another process.
        try await eventually { status.children == 3 && status.running == 0 && status.spares == 2 }
        try attack(zygote)
        return await job.value
    }

    fileprivate func expectGood() async throws {
        try await expectGoodJob()
        try await settles()
    }

    fileprivate func expectGoodJob() async throws {
        let conversion = try await convert("be good", TestPicture.jpeg)
        #expect(conversion.failure == nil)
    }
}
