package import Media

/// Why a decoder gave up. The text goes to the decoder's own log only, never over the line.
package struct DecodeFailure: Error, Sendable, Equatable {
    package var reason: AttachmentFailure.Reason
    package var detail: String

    package init(_ reason: AttachmentFailure.Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }
}

/// The bytes of the source as a decoder sees them: there already, on their way, or never to come.
package protocol SourceBytes: AnyObject {
    /// Reads into `buffer` what is there at `offset`, and waits for at least one byte. 0 is the end of the source.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Says what will be read next, so that it is asked for at one go. It takes the place of what was said before.
    func expect(_ ranges: [Range<Int>])
    /// How many bytes there are from the start on, in all: waits until the source has ended.
    func waitForEnd() -> Int
    /// How many bytes the source has, if that is known already.
    var size: Int? { get }
    /// Whether every byte of the source is there already.
    var isWhole: Bool { get }
    /// Whether the source ended before its last byte.
    var isCut: Bool { get }
    /// Whether the worker said that time is nearly up.
    var timeWillExpire: Bool { get }
}

/// Where a decoder's results go.
package protocol RungOutput: AnyObject {
    /// Tells of the source once its header is read, and about how much memory decoding it needs. Waits until that is to
    /// be had.
    func describe(_ source: SourceReport, memoryBytes: Int)
    /// Hands over one complete output. `report.byteCount` is set from `bytes`.
    func publish(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeFailure)
    /// Hands over the preview that the request asks for, a JPEG. At most once, after the rung that it shows.
    func publishPreview(_ bytes: UnsafeRawBufferPointer) throws(DecodeFailure)
}
