import Decoding
import Foundation
import Media
import Testing

/// What becomes of the jobs when processes are killed under them.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct DecoderDeathTests {
    @Test("when the decoder processes are killed in the middle of a job, the job is answered and the next one works")
    func child() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.whileHanging { zygote in
                for child in zygote.children { kill(child, SIGKILL) }
            }
            #expect(conversion.failure?.reason == .decoderDied)
            try await pool.expectGood()
            #expect(pool.status.restarts == 0)
        }
    }

    @Test("when the zygote is killed in the middle of a job, the job is answered, and a new zygote does the next one")
    func zygote() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let first = try await pool.firstZygote()
            let children = first.children
            let conversion = try await pool.whileHanging { zygote in kill(zygote.pid, SIGKILL) }
            #expect(conversion.failure?.reason == .decoderDied)
            try await pool.expectGood()
            #expect(pool.status.restarts == 1)
            try await until { (children + [first.pid]).allSatisfy { Zygote(pid: $0).isGone } }
        }
    }

    @Test("when a spare is killed, another takes its place")
    func spare() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let zygote = try await pool.firstZygote()
            let killed = try #require(zygote.children.first)
            kill(killed, SIGKILL)
            try await until { !zygote.children.contains(killed) }
            try await pool.settles()
            try await pool.expectGood()
        }
    }

    @Test("when the zygote is killed while nothing runs, the next job works", arguments: 0..<5)
    func idleZygote(run: Int) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let zygote = try await pool.firstZygote()
            kill(zygote.pid, SIGKILL)
            try await until { pool.status.restarts > 0 }
            try await pool.expectGood()
        }
    }

    @Test(
        "a program that is not there, or is none, makes each job fail with that reason",
        arguments: ["/nowhere", "/bin/true"]
    )
    func missing(path: String) async throws {
        try await DecoderPool.with(path) { pool in
            let conversion = try await pool.convert("be good")
            #expect(conversion.failure?.reason == .decoderUnavailable)
        }
    }

    @Test("shutting down answers the jobs that run and wait, refuses others, and leaves no process")
    func shutDown() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let zygote = try await pool.firstZygote()
            let children = zygote.children
            let jobs = (0..<3).map { _ in Task { try await pool.convert("hang") } }
            try await until { pool.status.running == 2 && pool.status.waiting > 0 }
            await pool.shutDown()
            for job in jobs {
                #expect([.decoderDied, .decoderUnavailable].contains(try await job.value.failure?.reason))
            }
            let late = try await pool.convert("be good")
            #expect(late.failure?.reason == .decoderUnavailable)
            try await until { (children + [zygote.pid]).allSatisfy { Zygote(pid: $0).isGone } }
        }
    }
}

/// The zygote as the kernel shows it.
private struct Zygote {
    var pid: pid_t

    var children: [pid_t] {
        let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
    /// Ended, though perhaps not yet reaped by whoever inherited it.
    var isGone: Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
        return stat.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }
}

extension DecoderPool {
    /// Once its spares are there.
    fileprivate func firstZygote() async throws -> Zygote {
        try await settles()
        return Zygote(pid: pid_t(try #require(status.zygotePID)))
    }

    /// What comes of a job that hangs when `attack` is done to its zygote.
    fileprivate func whileHanging(_ attack: (Zygote) throws -> Void) async throws -> Conversion {
        let zygote = try await firstZygote()
        let job = Task { try await convert("hang") }
        try await until { status.running > 0 && status.spares == 2 }
        try attack(zygote)
        return try await job.value
    }

    fileprivate func expectGood() async throws {
        let conversion = try await convert("be good", TestPicture.jpeg)
        #expect(conversion.failure == nil)
        try await settles()
    }
}
