import DecoderWire

extension ClipStreams {
    /// The memory that making a clip takes, in bytes, in addition to that of every decoder process. An estimate.
    var memoryBytes: Int {
        guard let video else { return 16_000_000 }
        return MemoryEstimate.clip(pixels: video.storedSize.pixels)
    }
}
