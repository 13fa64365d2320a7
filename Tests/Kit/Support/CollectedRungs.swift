package import DecoderWire
package import Media

/// Everything that a transform emitted.
package final class CollectedRungs: RungOutput {
    package struct Emitted {
        package var report: RungReport
        package var bytes: [UInt8]
    }

    package private(set) var source: SourceReport?
    package private(set) var memoryBytes = 0
    package private(set) var descriptions = 0
    package private(set) var emitted: [Emitted] = []

    package private(set) var thumbnail: [UInt8]?

    package var last: Emitted? { emitted.last }
    package var rungs: [Rung] { emitted.map(\.report.rung) }

    package init() {}

    package func describe(_ source: SourceReport, memoryBytes: Int) {
        self.source = source
        self.memoryBytes = memoryBytes
        descriptions += 1
    }

    package func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        unsafe emitted.append(Emitted(report: report, bytes: Array(bytes)))
    }

    package func emitThumbnail(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        unsafe thumbnail = Array(bytes)
    }
}
