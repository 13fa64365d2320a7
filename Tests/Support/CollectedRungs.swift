package import DecoderWire
package import Media

/// Everything that a transform emitted.
package final class CollectedRungs: RungOutput {
    package struct Published {
        package var report: RungReport
        package var bytes: [UInt8]
    }

    package private(set) var source: SourceReport?
    package private(set) var memoryBytes = 0
    package private(set) var descriptions = 0
    package private(set) var published: [Published] = []

    package private(set) var preview: [UInt8]?

    package var last: Published? { published.last }
    package var rungs: [Rung] { published.map(\.report.rung) }

    package init() {}

    package func describe(_ source: SourceReport, memoryBytes: Int) {
        self.source = source
        self.memoryBytes = memoryBytes
        descriptions += 1
    }

    package func publish(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeFailure) {
        unsafe published.append(Published(report: report, bytes: Array(bytes)))
    }

    package func publishPreview(_ bytes: UnsafeRawBufferPointer) throws(DecodeFailure) {
        unsafe preview = Array(bytes)
    }
}
