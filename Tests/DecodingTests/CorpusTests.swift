import DecoderWire
import Decoding
import Foundation
import Media
import Support
import Synchronization
import Testing

/// Every picture that is at hand: good, private and hostile, and damaged by us.
@Suite(.timeLimit(.minutes(5)), .needsSharedMedia, .serialized)
struct CorpusTests {
    @Test("each file is answered", arguments: ["images", "privacy", "hostile"])
    func corpus(folder: String) async throws {
        try await withWatchedPool { pool in
            for path in SharedMedia.paths(in: folder) {
                try await check(pool, SharedMedia.bytes(path), "\(path)")
            }
        }
    }

    @Test("each file that is cut short or has wrong bytes is answered")
    func damaged() async throws {
        var random = SplitMix(state: 3)
        try await withWatchedPool { pool in
            for path in SharedMedia.paths(in: "images") {
                let whole = try SharedMedia.bytes(path)
                guard whole.count < 200_000 else { continue }
                for _ in 0..<10 {
                    var bytes = Array(whole.prefix(Int.random(in: 1...whole.count, using: &random)))
                    for _ in 0..<Int.random(in: 0...3, using: &random) {
                        let index = Int.random(in: bytes.indices, using: &random)
                        bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                    }
                    try await check(pool, bytes, "\(path), \(bytes.count) bytes")
                }
            }
        }
    }

    private func check(_ pool: DecoderPool, _ bytes: [UInt8], _ name: Comment) async throws {
        guard MediaSniffer.format(of: bytes.span)?.kind == .image else { return }
        let conversion = try await pool.convert(bytes)
        #expect(conversion.failure?.reason != .decoderLied, name)
        #expect(conversion.failure != nil || !conversion.rungs.isEmpty, name)
    }

    /// Runs `body`, and sees that no decoder process made a forbidden system call and that the pool is well afterwards.
    private func withWatchedPool(_ body: (DecoderPool) async throws -> Void) async throws {
        let endings = Mutex<[ProcessEnding]>([])
        let observe: @Sendable (DecoderEvent) -> Void = { event in
            if case .childEnded(_, let ending) = event { endings.withLock { $0.append(ending) } }
        }
        try await DecoderPool.with("attachd-decoder", observe: observe) { pool in
            try await body(pool)
            let good = try await pool.convert(SharedMedia.bytes("images/Pillow__hopper_gray.jpg"))
            #expect(good.failure == nil)
            try await pool.settles()
            #expect(pool.status.restarts == 0)
        }
        #expect(!endings.withLock(\.self).contains(.killed(signal: Int(SIGSYS))))
    }
}

/// The same numbers in each run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
