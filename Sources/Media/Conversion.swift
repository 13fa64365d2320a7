/// What the worker asks a decoder process to make of one source.
package struct ConversionRequest: Sendable, Equatable {
    /// Told by `MediaSniffer` from the bytes; the decoder calls that loader and no other.
    package var format: MediaFormat
    package var image: ImageRules
    package var animation: AnimationRules?
    /// The part of a picture that is kept, as it is seen upright. `nil` keeps all of it.
    package var clippingRectangle: ClippingRectangle?
    package var limits: MediaLimits
    /// The rungs worth trying in the time there is. The decoder leaves out what the source has no use for.
    package var rungs: Set<Rung>

    package init(
        format: MediaFormat,
        image: ImageRules,
        animation: AnimationRules?,
        clippingRectangle: ClippingRectangle? = nil,
        limits: MediaLimits = MediaLimits(),
        rungs: Set<Rung> = Set(Rung.allCases),
    ) {
        self.format = format
        self.image = image
        self.animation = animation
        self.clippingRectangle = clippingRectangle
        self.limits = limits
        self.rungs = rungs
    }
}

/// What a decoder says of the source once it has read its header.
package struct SourceReport: Sendable, Equatable {
    /// In pixels, after orientation is applied; `nil` for sound.
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    package var durationMilliseconds: Int?

    package init(width: Int? = nil, height: Int? = nil, frames: Int? = nil, durationMilliseconds: Int? = nil) {
        self.width = width
        self.height = height
        self.frames = frames
        self.durationMilliseconds = durationMilliseconds
    }
}

/// What a decoder says of one finished output.
package struct RungReport: Sendable, Equatable {
    package var rung: Rung
    package var format: MediaFormat
    package var byteCount: Int
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    package var durationMilliseconds: Int?

    package init(
        rung: Rung,
        format: MediaFormat,
        byteCount: Int,
        width: Int? = nil,
        height: Int? = nil,
        frames: Int? = nil,
        durationMilliseconds: Int? = nil,
    ) {
        self.rung = rung
        self.format = format
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.frames = frames
        self.durationMilliseconds = durationMilliseconds
    }
}
