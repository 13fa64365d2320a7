import DecoderWire
import Decoding
import Media
import Support
import Testing

/// Tests small files that cause a lot of work with the real decoder, which is measured when it is reaped.
///
/// Each test has its own process, so that other tests don't delay its threads.
@Suite(.serialized, .timeLimit(.minutes(10)), .needsSharedMedia)
struct BombTests {
    @Test("a file that claims too many pixels is refused by its header")
    func refused() async {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            try await Bomb.explode(Bomb.overTheLimit) { bomb, answer, usage in
                #expect(answer.rungs.isEmpty, bomb)
                #expect([.tooManyPixels, .corrupt].contains(answer.failure?.reason), bomb)
                #expect(usage.processorMicroseconds <= 200_000, bomb)
                #expect(usage.peakMemoryBytes <= 100_000_000, bomb)
            }
        }
    }

    @Test("a file that claims or unpacks far more than it shows is refused or degraded, and costs little")
    func hollow() async {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            try await Bomb.explode(Bomb.hollow) { bomb, answer, usage in
                #expect(answer.failure != nil || !answer.rungs.isEmpty, bomb)
                // libpng unpacks a text of 200 MB in 0.25 s, once for the header and once for a picture that is encoded
                // again because its container breaks a rule.
                #expect(usage.processorMicroseconds <= 900_000, bomb)
                #expect(usage.peakMemoryBytes <= 100_000_000, bomb)
            }
        }
    }

    // Processor time depends on the machine and on other work: these take 0.4 to 0.7 s on a busy machine.
    @Test("a picture of the largest allowed size is converted, at no needless cost")
    func legal() async {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
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
    /// Converts each bomb, and has `check` inspect the answer and the usage of its process.
    ///
    /// Expects that no process dies and that the next good job works.
    static func explode(_ bombs: [Bomb], check: (Comment, Answer, ProcessUsage) -> Void) async throws {
        for bomb in bombs {
            let log = DecoderLog()
            let source = Source(name: bomb.name, format: bomb.format, bytes: try bomb.bytes())
            try await DecoderPool.withDecoder(running: 1, log: log) { pool in
                let answer = try await pool.answer(source)
                // The spare that replaced it waits, so the first process that ends is the one that had the bomb.
                try await eventually { !log.record.usages.isEmpty }
                let usage = try #require(log.record.usages.first)
                let cost = "\(usage.processorMicroseconds) µs, \(usage.peakMemoryBytes) bytes"
                check("\(bomb.name), which took \(cost)", answer, usage)
                try await pool.expectGoodJob()
            }
            #expect(log.record.deaths.isEmpty, "\(bomb.name)")
        }
    }
}
