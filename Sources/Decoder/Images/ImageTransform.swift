import Base
package import DecoderWire
package import Media

/// The conversion of one source into an attachment's image, rung by rung, until nothing better can be made.
package struct ImageTransform {
    private let request: ConversionRequest
    private let source: any SourceBytes
    private let output: any RungOutput
    /// The orientation that the file around the picture gives.
    private let orientation: Int?

    package init(request: ConversionRequest, source: any SourceBytes, output: any RungOutput) {
        self.init(request: request, source: source, output: output, orientation: nil)
    }

    private init(request: ConversionRequest, source: any SourceBytes, output: any RungOutput, orientation: Int?) {
        self.orientation = orientation
        self.request = request
        self.source = source
        self.output = output
    }

    /// Emits each rung as soon as it is complete. After it returns, nothing better will come.
    ///
    /// - Throws: The reason why no better rung follows. Rungs that were emitted remain valid.
    package func run() throws(DecodeError) {
        guard request.format.kind == .image else {
            throw DecodeError(.unsupportedFormat, "\(request.format.rawValue) is not an image")
        }
        guard !request.disabled.refuses(request.format) else { throw DecodeError.disabled(request.format.rawValue) }
        do throws(DecodeError) {
            try checkThatThereIsSomething()
            try PageCount(source: source).check(request.format)
            try checkScreen()
            try checkParts()
            if request.format == .tiff, let raw = CameraRaw(of: source) { return try embedded(in: raw).run() }
            let tiff = request.format == .tiff ? TIFFValues(of: source) : nil
            try tiff?.check()
            let heif = request.format == .heic || request.format == .avif ? HEIFHeader(of: source) : nil
            try heif?.check()
            let source = heif?.adapted(source) ?? source
            let header = try readHeader(of: source, heif, tiff)
            let emitter = RungEmitter(
                rungs: request.rungs,
                output: output,
                thumbnailEdge: request.thumbnailEdge,
            )
            let memoryBytes: Int
            do throws(DecodeError) {
                memoryBytes = try self.memoryBytes(for: header)
            } catch {
                // The camera's thumbnail is better than nothing.
                let still = StillConversion(request: request, source: source, header: header, emitter: emitter)
                try still.emitEmbeddedThumbnail()
                throw error
            }
            output.describe(header.report, memoryBytes: memoryBytes)
            if header.frames > 1, let rules = request.animation {
                let animation = AnimationConversion(
                    request: request,
                    rules: rules,
                    source: source,
                    header: header,
                    emitter: emitter,
                )
                try animation.run()
            } else {
                try StillConversion(request: request, source: source, header: header, emitter: emitter).run()
            }
        } catch {
            // Missing bytes look like damage to a decoder. Only the source knows that it was cut.
            guard error.reason == .corrupt, source.isCut else { throw error }
            throw DecodeError(.truncated, error.detail)
        }
    }

    /// Returns the memory that decoding takes. Throws if the picture or its memory exceeds the limits.
    private func memoryBytes(for header: PictureHeader) throws(DecodeError) -> Int {
        // No arithmetic before the size is known to be within the limits.
        try header.check(against: request.limits)
        let memoryBytes = header.memoryBytes(for: request)
        guard memoryBytes <= request.limits.memoryBytes else {
            throw DecodeError(.resourceLimit, "decoding needs \(memoryBytes) bytes of memory")
        }
        return memoryBytes
    }

    /// Returns the transform of the largest picture beside raw data.
    private func embedded(in raw: CameraRaw) throws(DecodeError) -> ImageTransform {
        guard let place = raw.picture else { throw DecodeError(.unsupportedFormat, "camera raw", cause: .cameraRaw) }
        var request = request
        request.format = .jpeg
        let part = SourcePart(of: source, place)
        return ImageTransform(request: request, source: part, output: output, orientation: raw.orientation)
    }

    /// Throws if the source is empty: libvips 8.14 ends the process when it reads an empty GIF or WebP.
    private func checkThatThereIsSomething() throws(DecodeError) {
        var first: UInt8 = 0
        let count = unsafe withUnsafeMutableBytes(of: &first) { unsafe source.read(at: 0, into: $0) }
        guard count > 0 else { throw DecodeError(.empty, "the source has no bytes") }
    }

    /// Throws if the screen of a GIF exceeds the limits: libvips ignores a large one, and takes the size of the frames.
    private func checkScreen() throws(DecodeError) {
        guard request.format == .gif, let start = source.bytes(at: 0, count: 10) else { return }
        try GIFContainer.screen(of: start)?.check(against: request.limits)
    }

    /// Throws if a part of the picture has a format or codec that is switched off, or one that no decoder here knows.
    private func checkParts() throws(DecodeError) {
        switch request.format {
        case .heic, .avif: try HEIFCodecs(of: source).check(against: request.disabled)
        case .tiff: try TIFFValues.checkCompression(of: source, against: request.disabled)
        case .png where source.bytes(at: 12, count: 4)?.elementsEqual("CgBI".utf8) == true:
            throw DecodeError(.unsupportedFormat, "CgBI", cause: .xcode)
        default: break
        }
    }

    private func readHeader(
        of source: any SourceBytes,
        _ heif: HEIFHeader?,
        _ tiff: TIFFValues?,
    ) throws(DecodeError) -> PictureHeader {
        let bytes = PictureSource(source, request.format)
        do {
            let picture = try PictureLoader(format: request.format).open(bytes)
            let colors = SourceColors(of: picture, from: source, request.format, heif)
            // The end of a PNG that is on its way is looked at later.
            let isWhole = source.isWhole
            let late = request.format == .png && isWhole ? PNGContainer.lateOrientation(of: source) : nil
            return PictureHeader(
                of: picture,
                format: request.format,
                colors: colors,
                turn: heif?.turn,
                orientation: orientation ?? late,
                mayTurn: request.format == .png && !isWhole,
                keptBands: tiff?.keptBands(of: picture.bands),
                isTiled: heif?.isTiled ?? false,
                isPremultiplied: heif?.isPremultiplied ?? false,
            )
        } catch {
            throw bytes.cause(of: error)
        }
    }
}

// MARK: - Pages

/// The number of pages or frames of a file, counted from its container alone.
///
/// A loader looks up each page before it decodes the first, in a time that grows with the square of their number. It
/// takes about a second for 20,000 frames of WebP or 60,000 pages of TIFF, which fit into a few megabytes.
struct PageCount {
    /// The most pages or frames: more than anybody shows, and counted within a tenth of a second.
    private static let limit = 4096

    let source: any SourceBytes

    /// Throws if the file has too many pages or frames. Checks only formats whose loaders have no such limit.
    func check(_ format: MediaFormat) throws(DecodeError) {
        let isWithinLimit =
            switch format {
            case .webp: isWebPWithinLimit()
            case .tiff: isTIFFWithinLimit()
            default: true
            }
        guard isWithinLimit else { throw DecodeError(.tooManyPixels, "more than \(Self.limit) pages or frames") }
    }

    /// Counts frames. RIFF has chunks after 12 bytes: a type, a length, and the content, padded to an even number of
    /// bytes.
    private func isWebPWithinLimit() -> Bool {
        var offset = 12
        for _ in 0...Self.limit {
            guard let length = size(at: offset + 4),
                let end = SafeSize.sum(offset, 8, length, length % 2)
            else { return true }
            offset = end
        }
        return false
    }

    private func isTIFFWithinLimit() -> Bool {
        var position: Int?
        for _ in 0...Self.limit {
            guard let directory = TIFFDirectory(of: source, at: position), directory.next != 0 else { return true }
            position = directory.next
        }
        return false
    }

    /// Returns the size of a chunk of RIFF; `nil` beyond the last byte.
    private func size(at offset: Int) -> Int? {
        source.bytes(at: offset, count: 4).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
    }
}
