package import DecoderWire
package import Media

/// The conversion of one source into an attachment's image, rung by rung, until nothing better can be made.
package struct ImageTransform {
    private let request: ConversionRequest
    private let source: any SourceBytes
    private let output: any RungOutput

    package init(request: ConversionRequest, source: any SourceBytes, output: any RungOutput) {
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
            if request.format == .tiff { try TIFFValues(of: source)?.check() }
            let heif = request.format == .heic || request.format == .avif ? HEIFHeader(of: source) : nil
            let source = heif?.adapted(source) ?? source
            let header = try readHeader(of: source, heif)
            try header.check(against: request.limits)
            let memoryBytes = header.memoryBytes(for: request)
            guard memoryBytes <= request.limits.memoryBytes else {
                throw DecodeError(.resourceLimit, "decoding needs \(memoryBytes) bytes of memory")
            }
            output.describe(header.report, memoryBytes: memoryBytes)
            let emitter = RungEmitter(
                rungs: request.rungs,
                output: output,
                thumbnailEdge: request.thumbnailEdge,
            )
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

    /// Throws if a part of the picture has a format or codec that is switched off, or if nothing says which it has.
    private func checkParts() throws(DecodeError) {
        switch request.format {
        case .heic, .avif: try HEIFCodecs(of: source).check(against: request.disabled)
        case .tiff: try TIFFValues.checkCompression(of: source, against: request.disabled)
        default: break
        }
    }

    private func readHeader(of source: any SourceBytes, _ heif: HEIFHeader?) throws(DecodeError) -> PictureHeader {
        let bytes = PictureSource(source, request.format)
        do {
            let picture = try PictureLoader(format: request.format).open(bytes)
            let colours = SourceColours(of: picture, from: source, request.format, heif)
            return PictureHeader(
                of: picture,
                format: request.format,
                colours: colours,
                turn: heif?.turn,
                isPremultiplied: heif?.isPremultiplied ?? false,
            )
        } catch {
            throw bytes.cause(of: error)
        }
    }
}
