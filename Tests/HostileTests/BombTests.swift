import DecoderWire
import Decoding
import Media
import Support
import Testing

/// Small files that stand for a lot of work, through the real decoder, which is measured when it is reaped.
///
/// In a process of its own, so that other tests don't keep its threads from answering in time.
@Suite(.serialized, .timeLimit(.minutes(3)), .needsSharedMedia)
struct BombTests {
    @Test("what claims too many pixels is refused by its header")
    func refused() async {
        await #expect(processExitsWith: .success) {
            try await Bomb.explode(Bomb.overTheLimit) { bomb, answer, usage in
                #expect(answer.rungs.isEmpty, bomb)
                #expect([.tooManyPixels, .corrupt].contains(answer.failure?.reason), bomb)
                #expect(usage.processorMicroseconds <= 200_000, bomb)
                #expect(usage.peakMemoryBytes <= 100_000_000, bomb)
            }
        }
    }

    @Test("what claims or unpacks far more than it shows is refused or degraded, and costs little")
    func hollow() async {
        await #expect(processExitsWith: .success) {
            try await Bomb.explode(Bomb.hollow) { bomb, answer, usage in
                #expect(answer.failure != nil || !answer.rungs.isEmpty, bomb)
                #expect(usage.processorMicroseconds <= 500_000, bomb)
                #expect(usage.peakMemoryBytes <= 100_000_000, bomb)
            }
        }
    }

    // Processor time is not the same on every machine, nor beside other work: these take 0.4 to 0.7 s on a busy one.
    @Test("as large a picture as is allowed becomes one, and costs no more than it must")
    func legal() async {
        await #expect(processExitsWith: .success) {
            try await Bomb.explode(Bomb.atTheLimit) { bomb, answer, usage in
                #expect(answer.failure == nil, bomb)
                #expect([.downscaled, .firstFrame].contains(answer.rungs.last), bomb)
                #expect(usage.processorMicroseconds <= 2_000_000, bomb)
                #expect(usage.peakMemoryBytes <= 400_000_000, bomb)
            }
        }
    }
}

extension Bomb {
    /// Gives each to a decoder, and has `check` look at what came of it and what its process used.
    ///
    /// No process dies of one, and the next good job works.
    static func explode(_ bombs: [Bomb], check: (Comment, Answer, ProcessUsage) -> Void) async throws {
        for bomb in bombs {
            let log = DecoderLog()
            let source = Source(name: bomb.name, format: bomb.format, bytes: try bomb.bytes())
            try await DecoderPool.withDecoder(running: 1, log: log) { pool in
                let answer = try await pool.answer(source)
                // The spare that took its place waits: the first process that ends is the one that had the bomb.
                while log.record.usages.isEmpty { await Task.yield() }
                check("\(bomb.name)", answer, try #require(log.record.usages.first))
                try await pool.expectGoodJob()
            }
            #expect(log.record.deaths.isEmpty, "\(bomb.name)")
        }
    }
}
