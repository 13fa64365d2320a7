import Media

/// The contents of a source that ended its decoder process, to recognize them by.
///
/// The hash is of 128 bits and keyed anew in each process, so nobody outside can make another source with the same one.
struct CrashedContent: Hashable, Sendable {
    static let headByteCount = 256
    private static let blockByteCount = 1_048_576

    /// The first bytes: most other sources differ in them, and are told apart without a hash.
    let head: [UInt8]
    let byteCount: Int
    private let hash: [Int]

    /// `nil` if not all of the source is there: what begins alike may be another one.
    init?(_ file: MediaFile) {
        let contents = file.contents
        let count = contents.present.prefixCount
        guard contents.ending != nil || contents.isComplete, count > 0, count == contents.present.count else {
            return nil
        }
        head = file.prefix(Self.headByteCount)
        byteCount = count
        hash = Self.hash(of: file, count)
    }

    /// Whether `file` has the same bytes. Waits until that is certain: until it has as many, or can't have them any more.
    func isContent(of file: MediaFile) async -> Bool {
        if let size = file.contents.size, size != byteCount { return false }
        let byteCount = byteCount
        file.want(0..<byteCount + 1)
        let contents = await file.contents { contents in
            contents.ending != nil || contents.isComplete || contents.present.prefixCount > byteCount
                || contents.size.map { $0 != byteCount } ?? false
        }
        guard !Task.isCancelled, contents.present.prefixCount == byteCount else { return false }
        return Self.hash(of: file, byteCount) == hash
    }

    private static func hash(of file: MediaFile, _ count: Int) -> [Int] {
        var hashers = [Hasher(), Hasher()]
        // Two functions of the same bytes.
        hashers[1].combine(1)
        for start in stride(from: 0, to: count, by: blockByteCount) {
            let bytes = file.bytes(in: start..<min(count, start + blockByteCount))
            for index in hashers.indices {
                unsafe bytes.withUnsafeBytes { unsafe hashers[index].combine(bytes: $0) }
            }
        }
        return hashers.map { $0.finalize() }
    }
}
