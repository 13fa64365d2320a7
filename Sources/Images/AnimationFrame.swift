import DecoderWire

/// One frame of an animation, in memory.
final class AnimationFrame {
    let picture: Picture
    /// How long it is shown, in milliseconds.
    let delay: Int

    init(_ picture: consuming Picture, delay: Int) {
        self.picture = picture
        self.delay = delay
    }

    func scaled(toFit longEdge: Int) throws(DecodeFailure) -> Picture {
        try picture.inMemory(scaledTo: picture.size.fitting(longEdge: longEdge))
    }
}
