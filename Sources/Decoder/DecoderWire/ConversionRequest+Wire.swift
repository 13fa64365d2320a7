import Base
import Media

extension WireWriter {
    mutating func put(_ request: ConversionRequest) {
        put(case: request.format)
        put(request.image)
        put(request.animation != nil)
        if let animation = request.animation { put(animation) }
        put(request.clippingRectangle != nil)
        if let rectangle = request.clippingRectangle { put(rectangle) }
        put(request.focus)
        put(request.video != nil)
        if let video = request.video { put(video) }
        put(request.audio != nil)
        if let audio = request.audio { put(audio) }
        put(request.clip)
        put(request.limits)
        for rung in Rung.allCases { put(request.rungs.contains(rung)) }
        put(request.thumbnailEdge)
        put(request.disabled)
    }

    private mutating func put(_ disabled: DisabledFormats) {
        for format in MediaFormat.allCases { put(disabled.formats.contains(format)) }
        for codec in MediaCodec.allCases { put(disabled.codecs.contains(codec)) }
    }

    private mutating func put(_ rules: ImageRules) {
        put(rules.longEdge)
        put(rules.aspectRatio?.width)
        put(rules.aspectRatio?.height)
        put(rules.byteBudget)
        put(rules.byteLimit)
        put(rules.keepsTransparency)
        put(rules.formats.count)
        for format in rules.formats { put(case: format) }
        put(case: rules.inline)
    }

    private mutating func put(_ rules: AnimationRules) {
        put(rules.longEdge)
        put(rules.byteBudget)
        put(rules.byteLimit)
    }

    private mutating func put(_ rectangle: ClippingRectangle) {
        put(rectangle.x)
        put(rectangle.y)
        put(rectangle.width)
        put(rectangle.height)
    }

    mutating func put(_ point: FocalPoint?) {
        put(point != nil)
        guard let point else { return }
        put(point.x)
        put(point.y)
    }

    private mutating func put(_ rules: VideoRules) {
        put(rules.duration)
        put(rules.longEdge)
        put(rules.byteBudget)
        put(rules.byteLimit)
    }

    private mutating func put(_ rules: AudioRules) {
        put(rules.duration)
        put(rules.byteBudget)
        put(rules.byteLimit)
    }

    private mutating func put(_ clip: ClipSelection) {
        put(clip.start)
        put(clip.duration?.milliseconds)
        put(clip.thumbnailTime?.milliseconds)
    }

    /// Writes a duration in whole milliseconds.
    private mutating func put(_ duration: Duration) { put(duration.milliseconds) }

    private mutating func put(_ limits: MediaLimits) {
        put(limits.sourceBytes)
        put(limits.framePixels)
        put(limits.totalPixels)
        put(limits.side)
        put(limits.frames)
        put(limits.memoryBytes)
    }
}

extension WireReader {
    mutating func conversionRequest() throws(WireError) -> ConversionRequest {
        let format = try `case`(of: MediaFormat.self)
        let image = try imageRules()
        let animation = try flag() ? animationRules() : nil
        let rectangle = try flag() ? clippingRectangle() : nil
        let focus = try optionalFocalPoint()
        let video = try flag() ? videoRules() : nil
        let audio = try flag() ? audioRules() : nil
        let clip = try clipSelection()
        let limits = try mediaLimits()
        var rungs: Set<Rung> = []
        for rung in Rung.allCases where try flag() { rungs.insert(rung) }
        return ConversionRequest(
            format: format,
            image: image,
            animation: animation,
            clippingRectangle: rectangle,
            focus: focus,
            video: video,
            audio: audio,
            clip: clip,
            limits: limits,
            rungs: rungs,
            thumbnailEdge: try optionalCount(),
            disabled: try disabledFormats(),
        )
    }

    private mutating func disabledFormats() throws(WireError) -> DisabledFormats {
        var formats: Set<MediaFormat> = []
        var codecs: Set<MediaCodec> = []
        for format in MediaFormat.allCases where try flag() { formats.insert(format) }
        for codec in MediaCodec.allCases where try flag() { codecs.insert(codec) }
        return DisabledFormats(formats: formats, codecs: codecs)
    }

    private mutating func imageRules() throws(WireError) -> ImageRules {
        ImageRules(
            longEdge: try count(),
            aspectRatio: try aspectRatio(),
            byteBudget: try count(),
            byteLimit: try count(),
            keepsTransparency: try flag(),
            formats: try outputFormats(),
            inline: try `case`(of: InlineRule.self),
        )
    }

    private mutating func outputFormats() throws(WireError) -> [OutputFormat] {
        let count = try count()
        guard count <= OutputFormat.allCases.count else { throw .invalidValue }
        var formats: [OutputFormat] = []
        for _ in 0..<count { formats.append(try `case`(of: OutputFormat.self)) }
        return formats
    }

    private mutating func aspectRatio() throws(WireError) -> AspectRatio? {
        switch (try optionalCount(), try optionalCount()) {
        case (nil, nil): nil
        case (let width?, let height?) where width > 0 && height > 0: AspectRatio(width: width, height: height)
        default: throw .invalidValue
        }
    }

    private mutating func animationRules() throws(WireError) -> AnimationRules {
        AnimationRules(longEdge: try count(), byteBudget: try count(), byteLimit: try count())
    }

    private mutating func clippingRectangle() throws(WireError) -> ClippingRectangle {
        let rectangle = ClippingRectangle(
            x: try measure(),
            y: try measure(),
            width: try measure(),
            height: try measure(),
        )
        guard let rectangle else { throw .invalidValue }
        return rectangle
    }

    mutating func optionalFocalPoint() throws(WireError) -> FocalPoint? {
        guard try flag() else { return nil }
        guard let point = FocalPoint(x: try measure(), y: try measure()) else { throw .invalidValue }
        return point
    }

    private mutating func videoRules() throws(WireError) -> VideoRules {
        VideoRules(
            duration: try duration(),
            longEdge: try count(),
            byteBudget: try count(),
            byteLimit: try count(),
        )
    }

    private mutating func audioRules() throws(WireError) -> AudioRules {
        AudioRules(duration: try duration(), byteBudget: try count(), byteLimit: try count())
    }

    private mutating func clipSelection() throws(WireError) -> ClipSelection {
        ClipSelection(
            start: try duration(),
            duration: try optionalCount().map { .milliseconds($0) },
            thumbnailTime: try optionalCount().map { .milliseconds($0) },
        )
    }

    private mutating func duration() throws(WireError) -> Duration { .milliseconds(try count()) }

    private mutating func mediaLimits() throws(WireError) -> MediaLimits {
        MediaLimits(
            sourceBytes: try count(),
            framePixels: try count(),
            totalPixels: try count(),
            side: try count(),
            frames: try count(),
            memoryBytes: try count(),
        )
    }
}
