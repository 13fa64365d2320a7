import CLibav
import DecoderWire
import Glibc
import Media

/// A decoder of the transparency of VP8 and VP9, which WebM has as a second picture beside each: its brightness is the alpha
/// (`AlphaMode`, RFC 9559 §5.1.4.1.28.4). What a transparent pixel hides can be any color.
@safe
final class AlphaDecoder {
    private let decoder: StreamDecoder
    /// The packets whose pictures have not come yet.
    private var packets: [Packet] = []

    init(_ decoder: consuming StreamDecoder) { self.decoder = decoder }

    func take(_ packet: Packet) { packets.append(packet) }

    /// Returns the picture on white, as still pictures are shown.
    func composed(_ frame: consuming Frame) throws(DecodeError) -> Frame {
        var alpha: Frame?
        // Each packet shows one picture. A damaged one shows none.
        while let packet = packets.first, packet.presentationTime ?? 0 <= frame.time ?? .max {
            packets.removeFirst()
            alpha = nil
            guard let data = try packet.alpha() else { continue }
            try decoder.send(data)
            alpha = try decoder.receive()
        }
        guard let alpha, alpha.size == frame.size, alpha.isPlain, frame.isPlain else { return frame }
        return try frame.onWhite(through: alpha)
    }
}

extension MediaStream {
    /// A Boolean value that indicates whether the packets have a second picture, of the transparency.
    var hasAlpha: Bool {
        guard [AV_CODEC_ID_VP8, AV_CODEC_ID_VP9].contains(codec), let mode = tag("alpha_mode") else { return false }
        return mode == "1"
    }
}

extension Packet {
    /// Returns the coded picture of the transparency. It follows a number of eight bytes, which is 1.
    fileprivate func alpha() throws(DecodeError) -> Packet? {
        var size = 0
        let data = unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, &size)
        guard let data = unsafe data, size > 8, unsafe data[7] == 1 else { return nil }
        let packet = try Packet.make()
        try unsafe check("av_new_packet", av_new_packet(packet.pointer, Int32(clamping: size - 8)))
        unsafe memcpy(packet.pointer.pointee.data, data + 8, size - 8)
        return packet
    }
}

extension Frame {
    fileprivate var isPlain: Bool { pixelFormat == AV_PIX_FMT_YUV420P || pixelFormat == AV_PIX_FMT_YUVJ420P }

    /// Returns the picture on white. `alpha` has the same size.
    fileprivate func onWhite(through alpha: borrowing Frame) throws(DecodeError) -> Frame {
        let composed = try Frame.picture(size, pixelFormat)
        try unsafe check("av_frame_copy_props", av_frame_copy_props(composed.pointer, pointer))
        let isFull = ColorDescription(of: self).isFullRange
        let mask = try unsafe alpha.plane(0)
        for number in 0..<3 {
            let (scale, white) = (number == 0 ? 1 : 2, number > 0 ? 128 : isFull ? 255 : 235)
            let (source, target) = try unsafe (plane(number), composed.plane(number))
            for row in 0..<(size.height + scale - 1) / scale {
                let (from, to) = unsafe (source.start + row * source.stride, target.start + row * target.stride)
                let opacity = unsafe mask.start + row * scale * mask.stride
                for column in 0..<(size.width + scale - 1) / scale {
                    let part = unsafe Int(opacity[column * scale])
                    unsafe to[column] = UInt8((Int(from[column]) * part + white * (255 - part) + 127) / 255)
                }
            }
        }
        return composed
    }
}
