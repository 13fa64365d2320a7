import CVips
import DecoderWire
import Media

/// The rewriting of a source's own coded data into a container with nothing else in it.
struct Remuxing {
    let header: PictureHeader
    let byteLimit: Int

    /// Emits the rewritten source if it is within the limit, follows its format's standard, and decodes without any
    /// warning.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - emitter: Where the rewritten source goes.
    ///   - inline: Makes the tiny version that is reported with it.
    /// - Returns: `true` if it was emitted. Otherwise the picture must be encoded again.
    /// - Throws: The error of the output.
    func emit(
        _ source: any SourceBytes,
        to emitter: RungEmitter,
        inline: () -> InlinePicture?,
    ) throws(DecodeError) -> Bool {
        let bytes = source.readToEnd()
        guard source.isWhole, let format = OutputFormat(header.format), let stripped = strip(bytes, format) else {
            return false
        }
        let report = RungReport(
            rung: .remuxed,
            format: format,
            byteCount: stripped.count,
            width: header.size.width,
            height: header.size.height,
            frames: header.frames,
            durationMilliseconds: header.report.durationMilliseconds,
            inline: inline(),
        )
        try emitter.emit(report, stripped)
        return true
    }

    private func strip(_ bytes: [UInt8], _ format: OutputFormat) -> [UInt8]? {
        switch format {
        // libjpeg has read all of it without a complaint.
        case .jpeg:
            return JPEGContainer.rewritten(bytes, limit: byteLimit)
        case .png:
            return PNGContainer.stripped(bytes, limit: byteLimit).flatMap { isDecodable($0) ? $0 : nil }
        case .gif:
            guard GIFContainer.screen(of: bytes) == header.storedSize else { return nil }
            return GIFContainer.stripped(bytes, limit: byteLimit).flatMap { isDecodable($0) ? $0 : nil }
        // Foreign bytes can follow the pixels in a chunk, where only a decoder could tell them apart.
        case .webp: return nil
        case .mp4, .m4a, .wav: return nil
        }
    }

    private func isDecodable(_ bytes: [UInt8]) -> Bool {
        let loader = PictureLoader(format: header.format, frames: header.frames, failOn: VIPS_FAIL_ON_WARNING)
        do throws(DecodeError) {
            try loader.open(PictureSource(BytesInMemory(bytes), header.format)).check()
            return true
        } catch {
            return false
        }
    }
}
