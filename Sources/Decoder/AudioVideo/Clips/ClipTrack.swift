import DecoderWire

/// One stream of a clip, from the source's packets to the clip's packets.
protocol ClipTrack: AnyObject {
    /// The index of the stream in the source.
    var source: Int { get }
    func take(_ packet: Packet) throws(DecodeError)
    /// Finishes the track after the last packet. It may leave the clip unfinished if it must stop.
    func finish(until mustStop: () -> Bool) throws(DecodeError)
}
