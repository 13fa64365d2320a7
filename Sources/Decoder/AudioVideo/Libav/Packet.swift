import CLibav
import DecoderWire
import Media

/// A piece of one stream's coded data, usually a frame. Copies share the data.
@safe
final class Packet {
    let pointer: UnsafeMutablePointer<AVPacket>

    private init(adopting pointer: UnsafeMutablePointer<AVPacket>) { unsafe self.pointer = pointer }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&pointer)
    }

    static func make() throws(DecodeError) -> Packet {
        try unsafe Packet(adopting: allocated("av_packet_alloc", av_packet_alloc()))
    }

    func copy() throws(DecodeError) -> Packet {
        try unsafe Packet(adopting: allocated("av_packet_clone", av_packet_clone(pointer)))
    }

    var stream: Int { unsafe Int(pointer.pointee.stream_index) }
    var byteCount: Int { unsafe Int(pointer.pointee.size) }
    var isKeyFrame: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }

    /// A Boolean value that indicates whether the edit list hides the packet: it is decoded but not shown.
    var isHidden: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }

    /// A Boolean value that indicates whether the data is encrypted (ISO/IEC 23001-7).
    var isEncrypted: Bool {
        var size = 0
        return unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_ENCRYPTION_INFO, &size) != nil
    }

    /// The time of display, in units of the stream; `nil` if the container does not give it.
    var presentationTime: Int64? {
        get { Self.time(unsafe pointer.pointee.pts) }
        set { unsafe pointer.pointee.pts = newValue ?? clibav_no_time }
    }

    /// The time of decoding, in units of the stream; `nil` if unknown.
    var decodingTime: Int64? {
        get { Self.time(unsafe pointer.pointee.dts) }
        set { unsafe pointer.pointee.dts = newValue ?? clibav_no_time }
    }

    var duration: Int64 {
        get { unsafe pointer.pointee.duration }
        set { unsafe pointer.pointee.duration = newValue }
    }

    private static func time(_ value: Int64) -> Int64? { value == clibav_no_time ? nil : value }
}

// MARK: - H.264

extension Packet {
    /// Returns `true` if a decoder can start here, whatever came before: the packet has an IDR picture and not only an
    /// I picture (ITU-T H.264, 7.4.1). libav calls both key frames; phones show gray after the second kind.
    func startsH264Sequence(of stream: MediaStream) -> Bool {
        guard let data = unsafe pointer.pointee.data else { return false }
        let bytes = unsafe UnsafeBufferPointer(start: data, count: byteCount)
        let extra = unsafe stream.parameters.pointee
        guard unsafe extra.extradata_size > 4, let header = unsafe extra.extradata, unsafe header[0] == 1 else {
            return unsafe bytes.unitTypesAfterStartCodes.contains(5)
        }
        return unsafe bytes.unitTypes(lengthSize: Int(header[4] & 3) + 1).contains(5)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the types of the units, which follow their lengths (ISO/IEC 14496-15).
    fileprivate func unitTypes(lengthSize: Int) -> [UInt8] {
        var types: [UInt8] = []
        var offset = 0
        while offset + lengthSize < count {
            var length = 0
            for index in offset..<offset + lengthSize { length = unsafe length << 8 | Int(self[index]) }
            unsafe types.append(self[offset + lengthSize] & 0x1F)
            guard length <= count - offset - lengthSize else { break }
            offset += lengthSize + length
        }
        return types
    }

    /// The types of the units, which follow the start code 00 00 01 (ITU-T H.264, annex B).
    fileprivate var unitTypesAfterStartCodes: [UInt8] {
        var types: [UInt8] = []
        var zeros = 0
        for index in 0..<count {
            let byte = unsafe self[index]
            if byte == 1, zeros >= 2, index + 1 < count { unsafe types.append(self[index + 1] & 0x1F) }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return types
    }
}

/// A filter that lets only pictures and their parameters through, of H.264 data. Cameras store places and dates beside
/// them, encoders their settings, and some units have no meaning at all.
///
/// The filters also cut the zeros behind a slice's stop bit. Other bytes behind its last macroblock stay: only a decoder
/// of its entropy codes could tell where that ends, because the stop bit is by definition the last bit that is 1.
@safe
final class UnitFilter {
    private let context: UnsafeMutablePointer<AVBSFContext>

    init(_ parameters: UnsafePointer<AVCodecParameters>) throws(DecodeError) {
        // ITU-T H.264, table 7-1: 1 and 5 are slices, 7 and 8 the parameters of sequences and pictures. Slices in parts, 2 to 4,
        // are of a profile that is not copied. The second filter writes parameters anew, without what follows their end.
        var made: UnsafeMutablePointer<AVBSFContext>?
        let filters = "filter_units=pass_types=1|5|7-8,h264_metadata"
        try unsafe check("av_bsf_list_parse_str", av_bsf_list_parse_str(filters, &made))
        unsafe context = try allocated("av_bsf_list_parse_str", made)
        try unsafe check("avcodec_parameters_copy", avcodec_parameters_copy(context.pointee.par_in, parameters))
        try unsafe check("av_bsf_init", av_bsf_init(context))
    }

    deinit {
        var context: UnsafeMutablePointer<AVBSFContext>? = unsafe context
        unsafe av_bsf_free(&context)
    }

    var parameters: UnsafePointer<AVCodecParameters> { unsafe UnsafePointer(context.pointee.par_out) }

    /// Returns the filtered packet; `nil` if nothing else was in it. `packet` is empty afterwards.
    func filtered(_ packet: Packet) throws(DecodeError) -> Packet? {
        try unsafe check("av_bsf_send_packet", av_bsf_send_packet(context, packet.pointer))
        let filtered = try Packet.make()
        let code = unsafe av_bsf_receive_packet(context, filtered.pointer)
        if code == LibavResult.wantsMore { return nil }
        try check("av_bsf_receive_packet", code)
        return filtered
    }
}
