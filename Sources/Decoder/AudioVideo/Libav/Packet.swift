import CLibav
import DecoderWire

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
