import CLibav
import DecoderWire
import Media

/// The check that a player can decode a finished clip's stream from its start, as far as the first frame.
final class FirstFrame {
    /// The most packets of sound up to a frame. Decoders of MP3 need data from the packets before, which a cut removes.
    private static let packetLimit = 16

    private let decoder: StreamDecoder
    private var packetCount = 0
    private(set) var isThere = false

    init(of stream: MediaStream, limits: MediaLimits, without disabled: DisabledFormats) throws(DecodeError) {
        decoder = try StreamDecoder.open(
            stream,
            limits: limits,
            isSlow: false,
            isStrict: true,
            without: disabled,
        )
    }

    var stream: Int { decoder.stream.index }

    /// Takes the stream's next packet. A video must begin with a picture that needs no other.
    func take(_ packet: Packet) throws(DecodeError) {
        let isVideo = decoder.stream.kind == .video
        guard !isThere, packetCount < (isVideo ? 1 : Self.packetLimit) else { return }
        packetCount += 1
        let copy = try packet.copy()
        // The edit list may hide the frame.
        unsafe copy.pointer.pointee.flags &= ~AV_PKT_FLAG_DISCARD
        isThere = try decoder.decodes(copy, isLast: isVideo)
    }
}
