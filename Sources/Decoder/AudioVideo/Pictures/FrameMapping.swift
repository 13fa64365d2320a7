import CLibav
import Colours
import DecoderWire

/// The mapping of a video's pictures to the colours that every screen shows: of high dynamic range, as phones film them,
/// and of a wide gamut.
struct FrameMapping {
    private let mapping: ColourMapping

    init(from coding: ColourCoding) { mapping = ColourMapping(from: coding) }

    /// Returns 8-bit sRGB for 16-bit RGB.
    func mapped(_ frame: borrowing Frame) throws(DecodeError) -> Frame {
        let size = frame.size
        let mapped = try Frame.picture(size, AV_PIX_FMT_RGB24)
        guard let source = unsafe frame.pointer.pointee.data.0, let target = unsafe mapped.pointer.pointee.data.0 else {
            return mapped
        }
        for row in 0..<size.height {
            let from = unsafe UnsafeRawPointer(source + row * Int(frame.pointer.pointee.linesize.0))
            let to = unsafe target + row * Int(mapped.pointer.pointee.linesize.0)
            unsafe mapping.map(from.assumingMemoryBound(to: UInt16.self), to, count: size.width)
        }
        return mapped
    }
}
