import CLibav
import DecoderWire

/// A decoded picture, or a piece of decoded sound.
@safe
struct Frame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    private init(adopting pointer: UnsafeMutablePointer<AVFrame>) { unsafe self.pointer = pointer }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&pointer)
    }

    static func make() throws(DecodeError) -> Frame {
        try unsafe Frame(adopting: allocated("av_frame_alloc", av_frame_alloc()))
    }

    /// Returns a picture with memory for its pixels.
    static func picture(_ size: PixelSize, _ format: AVPixelFormat) throws(DecodeError) -> Frame {
        let frame = try make()
        unsafe frame.pointer.pointee.width = Int32(size.width)
        unsafe frame.pointer.pointee.height = Int32(size.height)
        unsafe frame.pointer.pointee.format = format.rawValue
        try unsafe check("av_frame_get_buffer", av_frame_get_buffer(frame.pointer, 0))
        return frame
    }

    /// Returns the first byte of a plane, and the number of bytes from one row to the next.
    func plane(_ number: Int) throws(DecodeError) -> (start: UnsafeMutablePointer<UInt8>, stride: Int) {
        let picture = unsafe pointer.pointee
        let planes = unsafe [picture.data.0, picture.data.1, picture.data.2]
        let strides = unsafe [picture.linesize.0, picture.linesize.1, picture.linesize.2]
        return try unsafe (allocated("plane", planes[number]), Int(strides[number]))
    }

    /// Returns another reference to the same pixels or samples.
    func shared() throws(DecodeError) -> Frame {
        try unsafe Frame(adopting: allocated("av_frame_clone", av_frame_clone(pointer)))
    }

    var size: PixelSize {
        unsafe PixelSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height))
    }

    var pixelRatio: PixelRatio { unsafe PixelRatio(pointer.pointee.sample_aspect_ratio) }
    var pixelFormat: AVPixelFormat { unsafe AVPixelFormat(pointer.pointee.format) }
    var isInterlaced: Bool { unsafe pointer.pointee.interlaced_frame != 0 }
    var sampleCount: Int { unsafe Int(pointer.pointee.nb_samples) }

    /// A Boolean value that indicates whether the decoder found no damage.
    var isIntact: Bool {
        unsafe pointer.pointee.decode_error_flags == 0 && pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT == 0
    }

    /// A Boolean value that indicates whether the picture's own metadata are those of Dolby Vision without a base that others
    /// can show (profile 5, which libav recognizes by the same two numbers). Not every container says it.
    var isDolbyVisionOnly: Bool {
        guard let side = unsafe av_frame_get_side_data(pointer, AV_FRAME_DATA_DOVI_METADATA) else { return false }
        let header = unsafe side.pointee.data.withMemoryRebound(to: AVDOVIMetadata.self, capacity: 1) { metadata in
            unsafe av_dovi_get_header(metadata).pointee
        }
        return header.vdr_rpu_profile == 0 && header.bl_video_full_range_flag != 0
    }

    /// The time of display that the source gives, in units of the stream.
    var statedTime: Int64? {
        let time = unsafe pointer.pointee.pts
        return time == clibav_no_time ? nil : time
    }

    /// The number of fields for which the picture is shown: two, or one more of film on television.
    var fieldCount: Int64 { unsafe 2 + Int64(max(0, pointer.pointee.repeat_pict)) }

    /// The best estimate of the time of display, in units of the stream.
    var time: Int64? {
        let time = unsafe pointer.pointee.best_effort_timestamp
        return time == clibav_no_time ? nil : time
    }
}
