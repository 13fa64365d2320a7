package import Media

/// The reason why a decoder gave up. The text is only for the decoder's own log and is never sent to the worker.
package struct DecodeError: Error, Sendable, Equatable {
    package var reason: AttachmentFailure.Reason
    package var detail: String
    package var cause: FailureCause?

    package init(_ reason: AttachmentFailure.Reason, _ detail: String, cause: FailureCause? = nil) {
        self.reason = reason
        self.detail = detail
        self.cause = cause
    }

    /// The failure of a source that has a format or codec that is switched off.
    package static func disabled(_ name: String) -> DecodeError { DecodeError(.disabled, "\(name) is switched off") }
}

/// The bytes of the source for a decoder: they may be there, on their way, or never come.
package protocol SourceBytes: AnyObject {
    /// Reads bytes at `offset` into `buffer`, and waits for at least one. Returns 0 at the end of the source.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Announces the ranges to read next, so that they are requested at once. Replaces the ranges announced before.
    func expect(_ ranges: [Range<Int>])
    /// Waits until the source has ended, and returns the number of bytes from its start.
    func waitForEnd() -> Int
    /// The size of the source in bytes, if it is known already.
    var size: Int? { get }
    /// A Boolean value that indicates whether every byte of the source is there already.
    var isWhole: Bool { get }
    /// A Boolean value that indicates whether the source ended before its last byte.
    var isCut: Bool { get }
    /// A Boolean value that indicates whether the worker has announced that time is nearly up.
    var timeWillExpire: Bool { get }
}

extension SourceBytes {
    /// Reads bytes at `offset` until `buffer` is full or the source ends, and returns their number.
    ///
    /// `read` returns the bytes that are there, which may stop at any byte: between two packets of the download, or at
    /// the end of a block that was read ahead.
    package func readFully(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let more = unsafe read(at: offset + count, into: rest)
            guard more > 0, more <= rest.count else { break }
            count += more
        }
        return count
    }
}

/// The destination of a decoder's results.
package protocol RungOutput: AnyObject {
    /// Reports the source once its header has been read, and the approximate memory that decoding needs. Waits until
    /// that memory is available.
    func describe(_ source: SourceReport, memoryBytes: Int)
    /// Emits one complete output. Sets `report.byteCount` from `bytes`.
    func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError)
    /// Emits the thumbnail that the request asks for, a JPEG. The decoder calls it at most once, after the rung that it
    /// shows.
    func emitThumbnail(_ bytes: UnsafeRawBufferPointer) throws(DecodeError)
}
