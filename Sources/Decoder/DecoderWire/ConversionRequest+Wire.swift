import Media

extension ConversionRequest: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(format, image, animation, clippingRectangle, focus, video, audio, clip, limits, rungs)
        writer.put(thumbnailEdge, timeLeft, disabled)
    }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            format: reader.read(),
            image: reader.read(),
            animation: reader.read(),
            clippingRectangle: reader.read(),
            focus: reader.read(),
            video: reader.read(),
            audio: reader.read(),
            clip: reader.read(),
            limits: reader.read(),
            rungs: reader.read(),
            thumbnailEdge: reader.read(),
            timeLeft: reader.read(),
            disabled: reader.read(),
        )
    }
}

extension DisabledFormats: WireValue {
    func put(in writer: inout WireWriter) { writer.put(formats, codecs) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(formats: reader.read(), codecs: reader.read())
    }
}

extension ImageRules: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(longEdge, aspectRatio, byteBudget, byteLimit, keepsTransparency)
        writer.put(list: formats)
        writer.put(inline)
    }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            longEdge: reader.read(),
            aspectRatio: reader.read(),
            byteBudget: reader.read(),
            byteLimit: reader.read(),
            keepsTransparency: reader.read(),
            formats: reader.list(upTo: OutputFormat.allCases.count),
            inline: reader.read(),
        )
    }
}

extension AspectRatio: WireValue {
    func put(in writer: inout WireWriter) { writer.put(width, height) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(width: reader.read(), height: reader.read())
        guard width > 0, height > 0 else { throw .invalidValue }
    }
}

extension AnimationRules: WireValue {
    func put(in writer: inout WireWriter) { writer.put(longEdge, byteBudget, byteLimit) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(longEdge: reader.read(), byteBudget: reader.read(), byteLimit: reader.read())
    }
}

extension ClippingRectangle: WireValue {
    func put(in writer: inout WireWriter) { writer.put(x, y, width, height) }

    init(reading reader: inout WireReader) throws(WireError) {
        let rectangle = try Self(x: reader.read(), y: reader.read(), width: reader.read(), height: reader.read())
        guard let rectangle else { throw .invalidValue }
        self = rectangle
    }
}

extension FocalPoint: WireValue {
    func put(in writer: inout WireWriter) { writer.put(x, y) }

    init(reading reader: inout WireReader) throws(WireError) {
        guard let point = try Self(x: reader.read(), y: reader.read()) else { throw .invalidValue }
        self = point
    }
}

extension VideoRules: WireValue {
    func put(in writer: inout WireWriter) { writer.put(duration, shortest, longEdge, byteBudget, byteLimit) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            duration: reader.read(),
            shortest: reader.read(),
            longEdge: reader.read(),
            byteBudget: reader.read(),
            byteLimit: reader.read(),
        )
    }
}

extension AudioRules: WireValue {
    func put(in writer: inout WireWriter) { writer.put(duration, byteBudget, byteLimit) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(duration: reader.read(), byteBudget: reader.read(), byteLimit: reader.read())
    }
}

extension ClipSelection: WireValue {
    func put(in writer: inout WireWriter) { writer.put(start, duration, thumbnailTime) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(start: reader.read(), duration: reader.read(), thumbnailTime: reader.read())
    }
}

extension MediaLimits: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(sourceBytes, framePixels, reducedPixels, totalPixels, side, frames, memoryBytes)
    }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            sourceBytes: reader.read(),
            framePixels: reader.read(),
            reducedPixels: reader.read(),
            totalPixels: reader.read(),
            side: reader.read(),
            frames: reader.read(),
            memoryBytes: reader.read(),
        )
    }
}

extension MediaFormat: WireValue {}
extension MediaCodec: WireValue {}
extension InlineRule: WireValue {}
