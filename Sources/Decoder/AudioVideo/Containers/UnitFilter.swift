import CLibav
import DecoderWire
import Media

/// A filter that lets only pictures and their parameters through, of H.264 data. Cameras store places and dates beside
/// them, encoders their settings, and some units have no meaning at all.
///
/// Bytes behind the last macroblock of a slice stay. Only a decoder of its entropy codes could tell where that ends.
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
