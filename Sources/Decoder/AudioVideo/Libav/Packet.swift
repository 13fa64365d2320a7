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
        unsafe units(SequenceHeader(stream.parameters)).contains { $0.type == .idr }
    }

    /// A Boolean value that indicates whether the container says that other parameters begin here: a movie may have several.
    fileprivate var changesParameters: Bool {
        [AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE].contains { kind in
            var size = 0
            return unsafe av_packet_get_side_data(pointer, kind, &size) != nil
        }
    }

    /// Returns the parameters that stand between the pictures.
    fileprivate func parameterUnits(_ header: SequenceHeader) -> [SequenceUnit] {
        units(header).filter { $0.type != .idr }
    }

    private func units(_ header: SequenceHeader) -> [SequenceUnit] {
        guard let data = unsafe pointer.pointee.data else { return [] }
        return unsafe UnsafeBufferPointer(start: data, count: byteCount).units(lengthSize: header.lengthSize)
    }
}

/// A unit of H.264 data that says how others are decoded, or a picture that needs no other.
private struct SequenceUnit: Hashable {
    enum Kind: UInt8 { case idr = 5, sequenceParameters = 7, pictureParameters = 8 }

    let type: Kind
    /// The parameters; empty of a picture.
    let bytes: [UInt8]

    init?(_ unit: Slice<UnsafeBufferPointer<UInt8>>) {
        guard let first = unsafe unit.first, let type = Kind(rawValue: first & 0x1F) else { return nil }
        self.type = type
        // Zeros may follow a unit before the next start code.
        let count = type == .idr ? 0 : unsafe unit.count - unit.reversed().prefix { $0 == 0 }.count
        bytes = unsafe Array(unit.prefix(count))
    }
}

/// The parameters in the header of an H.264 stream, and the form of its units.
private struct SequenceHeader {
    /// The bytes of a unit's length; `nil` if units follow start codes instead.
    let lengthSize: Int?
    private(set) var units: Set<SequenceUnit> = []

    init(_ parameters: UnsafePointer<AVCodecParameters>) {
        let header = unsafe UnsafeBufferPointer(
            start: parameters.pointee.extradata,
            count: Int(parameters.pointee.extradata_size)
        )
        // The form of MP4 (ISO/IEC 14496-15, 5.3.3.1): six bytes, the first set of parameters after their number, the second
        // after theirs.
        guard header.count > 6, unsafe header[0] == 1 else {
            lengthSize = nil
            units = unsafe Set(header.units(lengthSize: nil))
            return
        }
        lengthSize = unsafe Int(header[4] & 3) + 1
        let sequences = unsafe Int(header[5] & 0x1F)
        var rest = unsafe header.dropFirst(6)
        for _ in 0..<sequences { unsafe take(&rest) }
        let pictures = unsafe Int(rest.popFirst() ?? 0)
        for _ in 0..<pictures { unsafe take(&rest) }
    }

    private mutating func take(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) {
        guard unsafe rest.count >= 2 else { return }
        let count = unsafe rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        if let unit = unsafe SequenceUnit(rest.dropFirst(2).prefix(count)) { units.insert(unit) }
        unsafe rest = rest.dropFirst(2 + count)
    }

    /// A Boolean value that indicates whether all pictures have the same parameters of their sequence, such as their size.
    var isUniform: Bool { units.count { $0.type == .sequenceParameters } == 1 }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the units, which follow their lengths (ISO/IEC 14496-15) or the start code 00 00 01 (ITU-T H.264, annex B).
    fileprivate func units(lengthSize: Int?) -> [SequenceUnit] {
        guard let lengthSize else { return unsafe unitsAfterStartCodes }
        var units: [SequenceUnit] = []
        var rest = unsafe self[...]
        while unsafe rest.count > lengthSize {
            let length = unsafe rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
            unsafe rest = rest.dropFirst(lengthSize)
            unsafe units += [SequenceUnit(rest.prefix(length))].compactMap(\.self)
            unsafe rest = rest.dropFirst(length)
        }
        return units
    }

    private var unitsAfterStartCodes: [SequenceUnit] {
        var (units, zeros, start): ([SequenceUnit], Int, Int?) = ([], 0, nil)
        func end(_ index: Int) {
            guard let start else { return }
            unsafe units += [SequenceUnit(self[start..<index])].compactMap(\.self)
        }
        for index in 0..<count {
            let byte = unsafe self[index]
            if byte == 1, zeros >= 2 {
                end(index - zeros)
                start = index + 1
            }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        end(count)
        return units
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
    private let header: SequenceHeader

    init(_ parameters: UnsafePointer<AVCodecParameters>) throws(DecodeError) {
        // ITU-T H.264, table 7-1: 1 and 5 are slices, 7 and 8 the parameters of sequences and pictures. Slices in parts, 2 to 4,
        // are of a profile that is not copied. The second filter writes parameters anew, without what follows their end.
        var made: UnsafeMutablePointer<AVBSFContext>?
        let filters = "filter_units=pass_types=1|5|7-8,h264_metadata"
        try unsafe check("av_bsf_list_parse_str", av_bsf_list_parse_str(filters, &made))
        unsafe context = try allocated("av_bsf_list_parse_str", made)
        try unsafe check("avcodec_parameters_copy", avcodec_parameters_copy(context.pointee.par_in, parameters))
        try unsafe check("av_bsf_init", av_bsf_init(context))
        unsafe header = SequenceHeader(context.pointee.par_out)
    }

    deinit {
        var context: UnsafeMutablePointer<AVBSFContext>? = unsafe context
        unsafe av_bsf_free(&context)
    }

    var parameters: UnsafePointer<AVCodecParameters> { unsafe UnsafePointer(context.pointee.par_out) }

    /// Returns the filtered packet; `nil` if nothing else was in it. `packet` is empty afterwards.
    ///
    /// Throws if the parameters change within the clip, as they do where its size does: a movie has them once, in its header
    /// (ISO/IEC 14496-15, `avc1`), and phones read them there.
    func filtered(_ packet: Packet) throws(DecodeError) -> Packet? {
        let changes = packet.changesParameters
        try unsafe check("av_bsf_send_packet", av_bsf_send_packet(context, packet.pointer))
        let filtered = try Packet.make()
        let code = unsafe av_bsf_receive_packet(context, filtered.pointer)
        if code == LibavResult.wantsMore { return nil }
        try check("av_bsf_receive_packet", code)
        guard !changes, header.isUniform, header.units.isSuperset(of: filtered.parameterUnits(header)) else {
            throw DecodeError(.unsupportedFormat, "the parameters change within the clip")
        }
        return filtered
    }
}
