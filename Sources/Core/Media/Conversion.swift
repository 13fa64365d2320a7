/// The worker's request to a decoder process to convert one source.
package struct ConversionRequest: Sendable, Equatable {
    /// The format that `MediaSniffer` found from the bytes. The decoder calls that loader and no other.
    package var format: MediaFormat
    package var image: ImageRules
    package var animation: AnimationRules?
    /// The part of the upright picture to keep. `nil` keeps all of it.
    package var clippingRectangle: ClippingRectangle?
    /// The point that stays visible where the profile crops. `nil` is what draws attention.
    package var focus: FocalPoint?
    package var video: VideoRules?
    package var audio: AudioRules?
    package var clip: ClipSelection
    package var limits: MediaLimits
    /// The rungs worth trying in the time left. The decoder leaves out those that the source cannot use.
    package var rungs: Set<Rung>
    /// The longer side in pixels of a thumbnail (JPEG) of the result, for pages that show many of them. `nil` makes
    /// none; a source without pictures never has one.
    package var thumbnailEdge: Int?
    /// The formats and codecs that are switched off. The decoder pool sets them when a decoder process takes the job.
    package var disabled: DisabledFormats

    package init(
        format: MediaFormat,
        image: ImageRules,
        animation: AnimationRules?,
        clippingRectangle: ClippingRectangle? = nil,
        focus: FocalPoint? = nil,
        video: VideoRules? = nil,
        audio: AudioRules? = nil,
        clip: ClipSelection = ClipSelection(),
        limits: MediaLimits = MediaLimits(),
        rungs: Set<Rung> = Set(Rung.allCases),
        thumbnailEdge: Int? = nil,
        disabled: DisabledFormats = DisabledFormats(),
    ) {
        self.format = format
        self.image = image
        self.animation = animation
        self.clippingRectangle = clippingRectangle
        self.focus = focus
        self.video = video
        self.audio = audio
        self.clip = clip
        self.limits = limits
        self.rungs = rungs
        self.thumbnailEdge = thumbnailEdge
        self.disabled = disabled
    }
}

/// The requested part of a video or of sound.
package struct ClipSelection: Sendable, Hashable {
    /// The start of the clip in the source.
    package var start: Duration
    /// The length of the clip. `nil` is as long as the profile allows; a longer clip is cut to that.
    package var duration: Duration?
    /// The frame that stands for the video where it cannot move. `nil` is one of the first that shows something.
    package var thumbnailTime: Duration?

    package init(start: Duration = .zero, duration: Duration? = nil, thumbnailTime: Duration? = nil) {
        self.start = start
        self.duration = duration
        self.thumbnailTime = thumbnailTime
    }
}

extension ConversionRequest {
    /// Returns whether `report` describes the best output that a whole source can have.
    package func isLast(_ report: RungReport) -> Bool {
        switch report.rung.properties.finality {
        case .last: true
        case .improvable: false
        case .lastWithoutAnimation: animation == nil
        case .lastWithoutVideo: video == nil
        case .lastWithinBudget:
            report.byteCount <= (report.format.kind == .video ? video?.byteBudget : audio?.byteBudget) ?? 0
        }
    }

    /// The most bytes of one output.
    package var largestOutput: Int {
        let limits = [animation?.byteLimit, video?.byteLimit, audio?.byteLimit].compactMap(\.self)
        return limits.reduce(image.byteLimit, max)
    }
}

/// A decoder's report of the source, once it has read the header.
package struct SourceReport: Sendable, Equatable {
    /// The width in pixels, after orientation is applied; `nil` for sound.
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

/// A decoder's report of one finished output.
package struct RungReport: Sendable, Equatable {
    package var rung: Rung
    package var format: OutputFormat
    package var byteCount: Int
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    package var durationMilliseconds: Int?
    /// The middle of the square that draws attention in a picture; `nil` if it was not looked for.
    package var focus: FocalPoint?
    /// The tiny version for the payload; `nil` if none was wanted, or an earlier output of the source has it.
    package var inline: InlinePicture?

    package init(
        rung: Rung,
        format: OutputFormat,
        byteCount: Int,
        width: Int? = nil,
        height: Int? = nil,
        frames: Int? = nil,
        durationMilliseconds: Int? = nil,
        focus: FocalPoint? = nil,
        inline: InlinePicture? = nil,
    ) {
        self.rung = rung
        self.format = format
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.frames = frames
        self.durationMilliseconds = durationMilliseconds
        self.focus = focus
        self.inline = inline
    }
}
