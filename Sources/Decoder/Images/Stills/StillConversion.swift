import CVips
import DecoderWire
import Media

/// The conversion of a source's first frame into a still picture, rung by rung.
struct StillConversion {
    /// The least share of a picture's rows that is worth showing.
    private static let leastRows = 1.0 / 3
    /// The number of pixels from which on the good version takes more than a fifth of a second, so that a quick one
    /// comes first.
    private static let slowPixels = 20_000_000

    let request: ConversionRequest
    let source: any SourceBytes
    let header: PictureHeader
    let emitter: RungEmitter

    var shape: StillShape {
        StillShape(of: header, rules: request.image, clipping: request.clippingRectangle, focus: request.focus)
    }

    func run() throws(DecodeError) {
        let shape = shape
        if !request.disabled.refuses(.jpeg), !source.isWhole || !emitter.wants(.downscaled) {
            try EmbeddedThumbnail(header: header, shape: shape, rules: request.image)?.emit(to: emitter)
        }
        if try remux() { return addThumbnail() }
        let wantsBest = emitter.wants(.downscaled)
        // Other loaders decode the whole picture before they shrink it.
        let hasFastLoader = header.format == .jpeg && header.storedSize.pixels > Self.slowPixels
        if emitter.wants(.fast), !wantsBest || hasFastLoader {
            guard try make(.fast, shrink: shape.fastShrink) else { return }
        }
        guard wantsBest || emitter.wants(.partial), !mustStop else { return }
        try make(.downscaled, shrink: shape.shrink)
    }

    /// Emits the source's own coded data, if it may be delivered unchanged. Returns `true` if it did.
    private func remux() throws(DecodeError) -> Bool {
        let keepsShape = shape.target == header.storedSize && shape.croppedSize == nil && header.orientation == 1
        guard emitter.wants(.remuxed), !mustStop, header.isPlain, keepsShape else { return false }
        // A profile without animations does not accept GIF.
        guard header.format != .gif || request.animation != nil && header.frames == 1 else { return false }
        guard !header.hasAlpha || request.image.keepsTransparency else { return false }
        let limit = min(request.image.byteBudget, request.image.byteLimit)
        return try Remuxing(header: header, byteLimit: limit).emit(source, to: emitter, inline: inlinePicture)
    }

    /// Returns the tiny version of a source whose own data goes out, decoded as small as its loader can.
    func inlinePicture() -> InlinePicture? {
        guard request.image.inline != .off, !source.timeWillExpire else { return nil }
        do {
            let size = header.storedSize
            let shrink = PictureLoader.largestShrink(of: size) { size.longEdge / $0 >= InlinePicture.longestEdge }
            let rendered = try render(PictureSource(source, header.format), shrink)
            let standard = try rendered.picture.inStandardColours(from: header.colours.coding)
            return InlineEncoder(rules: request.image)
                .encode(try standard.upright(from: header.orientation).inMemory())
        } catch {
            // The picture itself is complete without it.
            return nil
        }
    }

    /// Makes the first frame as `rung`, or as `.partial` if the source ends within the frame.
    ///
    /// - Returns: `true` if the source had the whole frame.
    @discardableResult
    func make(_ rung: Rung, shrink: Int) throws(DecodeError) -> Bool {
        let bytes = PictureSource(source, header.format)
        let rendered = try render(bytes, shrink)
        if header.format.isStreamed, bytes.ranOut {
            try emitPartial(rendered)
            return false
        }
        guard rendered.isComplete else { return false }
        if emitter.wants(rung) { try emit(rung, rendered.picture) }
        return true
    }

    /// Renders the frame in its final size, as far as `bytes` allow.
    private func render(_ bytes: PictureSource, _ shrink: Int) throws(DecodeError) -> RenderedPicture {
        // If a second frame follows, the first is complete.
        let isStrict = !header.format.isStreamed && header.frames == 1
        let failOn = isStrict ? VIPS_FAIL_ON_TRUNCATED : VIPS_FAIL_ON_NONE
        let loader = PictureLoader(format: header.format, shrink: shrink, failOn: failOn)
        let stopsWithBytes = header.format.isStreamed && !isProgressive
        do {
            let opened = try loader.open(bytes)
            let loaded = header.isPremultiplied ? try opened.unpremultiplied() : opened.shared()
            let area = shape.area(in: loaded.size)
            let size = shape.size(of: area.size)
            let keep = { !(stopsWithBytes && bytes.ranOut) && !mustStop }
            if size != area.size, loaded.hasRows(of: loader) {
                return try loaded.renderedRows(of: area, from: bytes, shrink: shrink, scaledTo: size, while: keep)
            }
            let cropped = try shape.crop(loaded).reduced(from: header.colours.coding)
            return try cropped.rendered(scaledTo: size, while: keep)
        } catch {
            throw bytes.cause(of: error)
        }
    }

    private var isProgressive: Bool { header.format == .jpeg && header.isInterlaced }
    /// A Boolean value that indicates whether to stop. Before the first rung, it continues in any case.
    private var mustStop: Bool { emitter.hasEmitted && source.timeWillExpire }

    /// Emits the picture down to the row where the bytes ended, or a whole progressive JPEG if all of it shows
    /// something.
    private func emitPartial(_ rendered: borrowing RenderedPicture) throws(DecodeError) {
        let isEnough = Double(rendered.rows) >= Double(rendered.picture.height) * Self.leastRows
        guard isEnough, !isProgressive || JPEGContainer.coversWholePicture(source.readToEnd()) else {
            throw DecodeError(.truncated, "\(rendered.rows) of \(rendered.picture.height) rows are there")
        }
        guard emitter.wants(.partial) else { return }
        let there = PixelSize(width: rendered.picture.width, height: rendered.rows)
        let isCropped = request.image.aspectRatio != nil && shape.croppedSize == nil
        let part = isCropped ? there.area(ofShape: shape.area.ratio).size : there
        try emit(.partial, rendered.picture.cropped(to: PixelArea(size: part, in: there)))
    }

    private func emit(_ rung: Rung, _ picture: borrowing Picture) throws(DecodeError) {
        let standard = try picture.inStandardColours(from: header.colours.coding)
        let finished = try shape.finish(standard.upright(from: header.orientation))
        let isHurried = rung != .downscaled || source.timeWillExpire
        let rules = isHurried ? request.image.withoutWebP : request.image
        let sourceByteCount = header.format == .jpeg && source.isWhole && !isHurried ? source.size : nil
        let encoded = try StillEncoder(rules: rules, sourceByteCount: sourceByteCount).encode(finished)
        let inline = InlineEncoder(rules: rules).encode(finished)
        try emitter.emit(rung, encoded, focus: finished.focus, inline: inline)
        emitter.emitThumbnail(of: finished)
    }

    /// Emits the thumbnail, if one is wanted, for a rung that did not need decoding.
    func addThumbnail() {
        guard emitter.lacksThumbnail else { return }
        do {
            let rendered = try render(PictureSource(source, header.format), shape.shrink)
            let standard = try rendered.picture.inStandardColours(from: header.colours.coding)
            emitter.emitThumbnail(of: try shape.finish(standard.upright(from: header.orientation)))
        } catch {
            // The picture itself is complete, so a failed thumbnail is ignored.
        }
    }
}
