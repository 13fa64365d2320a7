package import Timing

/// The state of a source at one moment, and the range that its reader wants.
package struct SourceContents: Sendable, Equatable {
    package internal(set) var present = ByteRanges()
    /// The size of the whole source in bytes, once that is known.
    package internal(set) var size: Int?
    package internal(set) var ending: MediaFile.Ending?
    /// The range that the reader waits for or will read next. It may go beyond the end of the source.
    package internal(set) var wanted = 0..<1
    /// The instant at which the last bytes came.
    package internal(set) var lastArrival: Instant?
    /// The bytes that may still be written before more memory is reserved.
    package internal(set) var room = Int.max
    /// The number of times that the file got room after its writer had waited for it.
    package internal(set) var roomCount = 0
    /// A Boolean value that indicates whether the bytes were taken back, because others needed the memory. The writer
    /// begins again once there is room.
    package internal(set) var hasLostBytes = false

    /// Returns whether every byte of `range` is there, as far as the source reaches.
    package func has(_ range: Range<Int>) -> Bool { present.contains(range.clamped(to: 0..<(size ?? .max))) }

    /// The first part of the wanted range that is not there.
    package var missing: Range<Int>? { present.firstGap(in: wanted.clamped(to: 0..<(size ?? .max))) }

    /// A Boolean value that indicates whether the size is known and every byte is there.
    package var isComplete: Bool { size.map { present.contains(0..<$0) } ?? false }
}
