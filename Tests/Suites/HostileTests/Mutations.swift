import Base
import Media
import Support

/// Good files that are truncated or have wrong bytes. The same in each run, each identified by its number alone.
struct Mutations: Sendable {
    private let originals: [Source]

    /// The size limit: larger files take longer to decode and contain nothing that smaller ones don't.
    private static let byteLimit = 200_000
    /// The bytes in which most formats have their sizes, counts and offsets.
    private static let headerSize = 512

    init() throws {
        let paths = ["images", "privacy", "video", "audio"].flatMap { SharedMedia.paths(in: $0) }
        originals = try paths.map { try Source(path: $0) }.filter { $0.bytes.count <= Self.byteLimit }
    }

    subscript(number: Int) -> Source {
        var random = SplitMix(seed: UInt64(number))
        var source = originals[number % originals.count]
        source.name = "mutation \(number) of \(source.name)"
        switch Int.random(in: 0..<3, using: &random) {
        case 0: source.bytes.removeLast(Int.random(in: 1...source.bytes.count, using: &random))
        case 1: source.bytes.spoil(upTo: 16, in: source.bytes.count, using: &random)
        default: source.bytes.spoil(upTo: 8, in: Self.headerSize, using: &random)
        }
        return source
    }
}

extension [UInt8] {
    /// Writes up to `limit` wrong bytes among the first `count`.
    fileprivate mutating func spoil(upTo limit: Int, in count: Int, using random: inout SplitMix) {
        for _ in 0..<Int.random(in: 1...limit, using: &random) {
            let index = Int.random(in: 0..<Swift.min(count, self.count), using: &random)
            self[index] ^= UInt8.random(in: 1 ... .max, using: &random)
        }
    }
}
