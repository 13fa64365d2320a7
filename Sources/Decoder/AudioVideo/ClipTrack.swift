import DecoderWire

/// One stream of a clip on its way from the source's packets to the clip's.
protocol ClipTrack: AnyObject {
    /// The number of the source's stream.
    var source: Int { get }
    func take(_ packet: Packet) throws(DecodeFailure)
    /// Called after the last packet. It may leave the clip unfinished once it must stop.
    func finish(until mustStop: () -> Bool) throws(DecodeFailure)
}
