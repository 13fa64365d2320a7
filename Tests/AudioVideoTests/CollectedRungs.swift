import DecoderWire
import Media

/// Everything that a transform handed over.
final class CollectedRungs: RungOutput {
    struct Published {
        var report: RungReport
        var bytes: [UInt8]
    }

    private(set) var source: SourceReport?
    private(set) var descriptions = 0
    private(set) var published: [Published] = []

    var last: Published? { published.last }
    var rungs: [Rung] { published.map(\.report.rung) }

    func describe(_ source: SourceReport) {
        self.source = source
        descriptions += 1
    }

    func publish(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeFailure) {
        unsafe published.append(Published(report: report, bytes: Array(bytes)))
    }
}
