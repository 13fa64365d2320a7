import Media

/// The fingerprint of a source that crashed its decoder process.
///
/// The hash has 128 bits, and its key is new in each process, so that nobody outside can make another source with the
/// same hash.
struct CrashedContent: Hashable, Sendable {
    static let headByteCount = 256
    private static let blockByteCount = 1_048_576

    /// The first bytes. Most other sources differ in them, so that the hash is not needed.
    let head: [UInt8]
    let byteCount: Int
    private let hash: [Int]

    /// Returns `nil` unless all of the source is there: another source may begin with the same bytes.
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

    /// Returns `true` if `file` has the same bytes. Waits until that is certain: until the file has as many bytes, or
    /// has ended.
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
        // Makes the second hash function differ from the first.
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
