import DecoderWire

extension ClipStreams {
    /// About how much memory making a clip takes, beside what every process has.
    ///
    /// Measured: the encoder and what it looks ahead, some 80 MB, and up to 31 bytes for each pixel of a source frame
    /// where it has more than 8 bits a channel, 15 where it hasn't.
    var memoryBytes: Int {
        guard let video else { return 16_000_000 }
        return 96_000_000 + video.storedSize.pixels * 32
    }
}
