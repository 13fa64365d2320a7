import DecoderWire

extension ClipStreams {
    /// The memory that making a clip takes, in bytes, in addition to that of every decoder process. An estimate.
    ///
    /// Measured: about 80 MB for the encoder and its lookahead, and up to 31 bytes for each pixel of a source frame
    /// with more than 8 bits a channel, or 15 otherwise.
    var memoryBytes: Int {
        guard let video else { return 16_000_000 }
        return 96_000_000 + video.storedSize.pixels * 32
    }
}
