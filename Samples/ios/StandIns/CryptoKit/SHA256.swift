// A stand-in for the part of Apple's CryptoKit that the package uses, for building and testing on Linux; nothing of it
// goes into an app. Unlike the other stand-ins it works, because the tests compare digests of real files.

/// The SHA-256 digest of bytes (FIPS 180-4).
public struct SHA256 {
    private var state: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    public init() {}

    public mutating func update(data: some Collection<UInt8>) {
        count += UInt64(data.count)
        var bytes = rest + data
        while bytes.count >= 64 {
            var end = 64
            while end <= bytes.count {
                mix(bytes[(end - 64)..<end])
                end += 64
            }
            bytes.removeFirst(end - 64)
        }
        rest = bytes
    }

    public func finalize() -> [UInt8] {
        var last = self
        let length = withUnsafeBytes(of: (count * 8).bigEndian) { Array($0) }
        let zeros = [UInt8](repeating: 0, count: Int((119 - count % 64) % 64))
        last.update(data: [0x80] + zeros + length)
        return last.state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    private mutating func mix(_ block: ArraySlice<UInt8>) {
        var words = [UInt32](repeating: 0, count: 64)
        for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
        for index in 16..<64 {
            let early = words[index - 15], late = words[index - 2]
            let first = turn(early, 7) ^ turn(early, 18) ^ early >> 3
            let second = turn(late, 17) ^ turn(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let first = h &+ (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) &+ (e & f ^ ~e & g) &+ Self.constants[index]
            let second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) &+ (a & b ^ a & c ^ b & c)
            let mixed = first &+ words[index]
            (h, g, f, e) = (g, f, e, d &+ mixed)
            (d, c, b, a) = (c, b, a, mixed &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private func turn(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

    /// The first 32 bits of the fractions of the first 64 primes' cube roots.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map(cubeRootFraction)
    }()

    private static func cubeRootFraction(_ prime: UInt64) -> UInt32 {
        // The largest root with root³ ≤ prime · 2⁹⁶, bit by bit.
        var root: UInt64 = 0
        for bit in (0..<36).reversed() {
            let next = root | 1 << UInt64(bit)
            let square = next.multipliedFullWidth(by: next)
            let low = square.low.multipliedFullWidth(by: next)
            let high = square.high * next + low.high
            if high < prime << 32 || (high == prime << 32 && low.low == 0) { root = next }
        }
        return UInt32(truncatingIfNeeded: root)
    }
}
