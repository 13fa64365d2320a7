import CLibav
import Colours
import DecoderWire

/// The mapping of high dynamic range pictures, as phones film them, to the range that every screen shows.
struct ToneMapping {
    private let mapping: ColourMapping

    /// Returns `nil` unless the transfer function is one of high dynamic range.
    init?(_ transfer: AVColorTransferCharacteristic) {
        // The numbers of libav are those of ITU-T H.273.
        guard let function = TransferFunction(number: Int(transfer.rawValue)), function.isHighDynamicRange else {
            return nil
        }
        mapping = ColourMapping(from: ColourCoding(primaries: .bt2020, transfer: function))
    }

    /// Returns 8-bit sRGB for 16-bit RGB in the colours of BT.2020.
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
