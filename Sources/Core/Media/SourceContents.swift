package import Timing

/// What there is of a source at one moment, and what its reader wants of it.
package struct SourceContents: Sendable, Equatable {
    package internal(set) var present = ByteRanges()
    /// How many bytes the source has in all, once that is known.
    package internal(set) var size: Int?
    package internal(set) var ending: MediaFile.Ending?
    /// What the reader waits for or will read next. It may go beyond the end of the source.
    package internal(set) var wanted = 0..<1
    /// When the last bytes came.
    package internal(set) var lastArrival: Instant?

    /// Whether every byte of `range` is there, as far as the source has it.
    package func has(_ range: Range<Int>) -> Bool { present.contains(range.clamped(to: 0..<(size ?? .max))) }

    /// The first part of what is wanted that isn't there.
    package var missing: Range<Int>? { present.firstGap(in: wanted.clamped(to: 0..<(size ?? .max))) }

    /// Whether the source's size is known, and every byte of it is there.
    package var isComplete: Bool { size.map { present.contains(0..<$0) } ?? false }
}
