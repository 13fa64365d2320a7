/// What the worker asks a decoder process to make of one source.
package struct ConversionRequest: Sendable, Equatable {
    /// Told by `MediaSniffer` from the bytes; the decoder calls that loader and no other.
    package var format: MediaFormat
    package var image: ImageRules
    package var animation: AnimationRules?
    /// The part of a picture that is kept, as it is seen upright. `nil` keeps all of it.
    package var clippingRectangle: ClippingRectangle?
    package var video: VideoRules?
    package var audio: AudioRules?
    package var clip: ClipSelection
    package var limits: MediaLimits
    /// The rungs worth trying in the time there is. The decoder leaves out what the source has no use for.
    package var rungs: Set<Rung>
    /// The longer side of a small JPEG that is made of the result too, for people who look through many of them. `nil`
    /// makes none, and so does a source without pictures.
    package var previewEdge: Int?

    package init(
        format: MediaFormat,
        image: ImageRules,
        animation: AnimationRules?,
        clippingRectangle: ClippingRectangle? = nil,
        video: VideoRules? = nil,
        audio: AudioRules? = nil,
        clip: ClipSelection = ClipSelection(),
        limits: MediaLimits = MediaLimits(),
        rungs: Set<Rung> = Set(Rung.allCases),
        previewEdge: Int? = nil,
    ) {
        self.format = format
        self.image = image
        self.animation = animation
        self.clippingRectangle = clippingRectangle
        self.video = video
        self.audio = audio
        self.clip = clip
        self.limits = limits
        self.rungs = rungs
        self.previewEdge = previewEdge
    }
}

/// The part of a video or of sound that is wanted.
package struct ClipSelection: Sendable, Hashable {
    /// Where in the source the clip begins.
    package var start: Duration
    /// `nil` is as long as the profile allows; what is longer is cut to that.
    package var duration: Duration?
    /// The frame that stands for the video where it cannot move. `nil` is the first one that shows something.
    package var thumbnailTime: Duration?

    package init(start: Duration = .zero, duration: Duration? = nil, thumbnailTime: Duration? = nil) {
        self.start = start
        self.duration = duration
        self.thumbnailTime = thumbnailTime
    }
}

extension ConversionRequest {
    /// Whether nothing better than `report`'s output could have been made of a whole source.
    package func isLast(_ report: RungReport) -> Bool {
        switch report.rung {
        case .firstFrame: animation == nil
        case .poster: video == nil
        // Coded data that is legal but too large for its budget is encoded anew.
        case .copied: report.byteCount <= (report.format.kind == .video ? video?.byteBudget : audio?.byteBudget) ?? 0
        default: report.rung.isLast
        }
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
