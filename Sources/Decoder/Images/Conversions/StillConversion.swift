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

    /// The ladder, from cheap to good. Each step makes its rung, if that is wanted and the source can have it.
    private var steps: [() throws(DecodeError) -> Progress] {
        [emitThumbnailFirst, remux, makeFast, makeBest]
    }

    private enum Progress {
        case continues
        /// No later step makes anything better.
        case ends
    }

    func run() throws(DecodeError) {
        for step in steps { guard try step() == .continues else { return } }
    }

    /// Emits the camera's thumbnail while the picture itself is on its way, or if nothing better is wanted.
    private func emitThumbnailFirst() throws(DecodeError) -> Progress {
        if !source.isWhole || !emitter.wants(.downscaled) { try emitEmbeddedThumbnail() }
        return .continues
    }

    /// Emits the camera's thumbnail, if there is one.
    func emitEmbeddedThumbnail() throws(DecodeError) {
        guard !request.disabled.refuses(.jpeg) else { return }
        try EmbeddedThumbnail(header: header, shape: shape, rules: request.image)?.emit(to: emitter)
    }

    /// The header of a PNG that is turned by what came behind its pixels; `nil` for other pictures.
    private var turnedLate: PictureHeader? {
        guard header.mayTurn, let orientation = PNGContainer.lateOrientation(of: source),
            orientation != header.orientation
        else { return nil }
        return header.turned(to: orientation)
    }

    /// Emits the source's own coded data, if it may be delivered unchanged.
    private func remux() throws(DecodeError) -> Progress {
        let keepsShape = shape.target == header.storedSize && shape.croppedSize == nil && header.orientation == 1
        guard emitter.wants(.remuxed), !mustStop, header.isPlain, keepsShape, turnedLate == nil else {
            return .continues
        }
        // A profile without animations does not accept GIF.
        guard header.format != .gif || request.animation != nil && header.frames == 1 else { return .continues }
        guard !header.hasAlpha || request.image.keepsTransparency else { return .continues }
        let remuxing = Remuxing(header: header, byteLimit: min(request.image.byteBudget, request.image.byteLimit))
        guard try remuxing.emit(source, to: emitter, inline: inlinePicture) else { return .continues }
        addThumbnail()
        return .ends
    }

    /// Makes a picture of less detail, if the full one is not wanted or takes long.
    private func makeFast() throws(DecodeError) -> Progress {
        // Other loaders decode the whole picture before they shrink it.
        let hasFastLoader = header.format == .jpeg && header.storedSize.pixels > Self.slowPixels
        guard emitter.wants(.fast), !emitter.wants(.downscaled) || hasFastLoader else { return .continues }
        return try make(.fast, shrink: shape.fastShrink) ? .continues : .ends
    }

    private func makeBest() throws(DecodeError) -> Progress {
        guard emitter.wants(.downscaled) || emitter.wants(.partial), !mustStop else { return .ends }
        try make(.downscaled, shrink: shape.shrink)
        return .ends
    }

    /// Returns the tiny version of a source whose own data goes out, decoded as small as its loader can.
    func inlinePicture() -> InlinePicture? {
        guard request.image.inline != .off, !source.timeWillExpire else { return nil }
        do {
            let size = header.storedSize
            let shrink = PictureLoader.largestShrink(of: size) { size.longEdge / $0 >= InlinePicture.longestEdge }
            let rendered = try render(PictureSource(source, header.format), shrink)
            return InlineEncoder(rules: request.image).encode(try upright(rendered.picture).inMemory())
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
        var rendered = try render(bytes, shrink)
        if header.format.isStreamed, bytes.ranOut {
            guard source.isWhole, bytes.lacksOnlyMarker else {
                try emitPartial(rendered)
                return false
            }
            rendered = try render(PictureSource(source, header.format, addsMarker: true), shrink)
        }
        guard rendered.isComplete else { return false }
        if let turned = turnedLate {
            let late = StillConversion(request: request, source: source, header: turned, emitter: emitter)
            return try late.make(rung, shrink: late.shape.shrink)
        }
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
            let opened = try loader.open(bytes).keeping(header.keptBands)
            let loaded = header.isPremultiplied ? try opened.unpremultiplied() : opened.shared()
            let area = shape.area(in: loaded.size)
            let size = shape.size(of: area.size)
            let keep = { !(stopsWithBytes && bytes.ranOut) && !mustStop }
            if size != area.size, loaded.hasRows(of: loader) {
                return try loaded.renderedRows(of: area, from: bytes, shrink: shrink, scaledTo: size, while: keep)
            }
            let cropped = try shape.crop(loaded).reduced(from: header.colors.coding)
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

    /// Returns a scaled picture in its final colors and orientation.
    private func upright(_ scaled: borrowing Picture) throws(DecodeError) -> Picture {
        try scaled.inStandardColors(from: header.colors.coding).upright(from: header.orientation)
    }

    private func emit(_ rung: Rung, _ picture: borrowing Picture) throws(DecodeError) {
        let finished = try shape.finish(upright(picture))
        let isHurried = rung.isHurried || source.timeWillExpire
        let rules = isHurried ? request.image.inHurry : request.image
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
            emitter.emitThumbnail(of: try shape.finish(upright(rendered.picture)))
        } catch {
            // The picture itself is complete, so a failed thumbnail is ignored.
        }
    }
}

// MARK: - Thumbnails

/// The thumbnail in a JPEG's EXIF data, which becomes the cheapest rung.
struct EmbeddedThumbnail {
    /// The most pixels of a thumbnail. EXIF data has less than 64 kB, so one that claims more pixels is not valid.
    private static let pixelLimit = 1_000_000

    private let bytes: [UInt8]
    private let shape: StillShape
    private let orientation: Int
    private let rules: ImageRules

    init?(header: PictureHeader, shape: StillShape, rules: ImageRules) {
        guard let thumbnail = header.thumbnail, thumbnail.starts(with: [0xFF, 0xD8]) else { return nil }
        bytes = thumbnail
        self.shape = shape
        orientation = header.orientation
        self.rules = rules.inHurry
    }

    /// Emits the thumbnail. Ignores a broken one, because the picture itself may be fine.
    func emit(to emitter: RungEmitter) throws(DecodeError) {
        guard emitter.wants(.embeddedThumbnail), let encoded = encode() else { return }
        try emitter.emit(.embeddedThumbnail, encoded)
    }

    private func encode() -> EncodedPicture? {
        do throws(DecodeError) {
            let loader = PictureLoader(format: .jpeg, failOn: VIPS_FAIL_ON_ERROR)
            let loaded = try loader.open(PictureSource(BytesInMemory(bytes), .jpeg))
            guard loaded.size.pixels <= Self.pixelLimit else { return nil }
            // Removes black bars: many thumbnails are 4:3, whatever the picture's shape.
            let whole = try loaded.cropped(to: loaded.size.area(ofShape: shape.whole.ratio))
            let cropped = try shape.crop(whole).in8Bits()
            let scaled = try cropped.inMemory(scaledTo: cropped.size.fitting(longEdge: rules.longEdge))
            let finished = try shape.finish(scaled.inStandardColors().upright(from: orientation))
            return try StillEncoder(rules: rules).encode(finished)
        } catch {
            return nil
        }
    }
}
