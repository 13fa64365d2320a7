import DecoderWire
import Media

/// Copies the source, until the image module lands.
enum StandIn {
    static func start() {}
    static func warmUp() {}

    static func run(_ request: ConversionRequest, _ source: any SourceBytes, _ output: any RungOutput)
        throws(DecodeFailure)
    {
        let count = source.waitForEnd()
        output.describe(SourceReport(width: 1, height: 1, frames: 1))
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { unsafe bytes.deallocate() }
        var offset = 0
        while offset < count {
            offset += unsafe source.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
        }
        let report = RungReport(rung: .downscaled, format: request.format, byteCount: count)
        try unsafe output.publish(report, UnsafeRawBufferPointer(bytes))
    }
}
