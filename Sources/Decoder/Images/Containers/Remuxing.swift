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
        guard source.isWhole, let format = OutputFormat(header.format), let file = rewritten(bytes, format) else {
            return false
        }
        let report = RungReport(
            rung: .remuxed,
            format: format,
            byteCount: file.count,
            width: header.size.width,
            height: header.size.height,
            frames: header.frames,
            durationMilliseconds: header.report.durationMilliseconds,
            inline: inline(),
        )
        try emitter.emit(report, file)
        return true
    }

    private func rewritten(_ bytes: [UInt8], _ format: OutputFormat) -> [UInt8]? {
        guard let rewriting = format.picture?.rewriting, let file = rewriting.rewrite(bytes, header, byteLimit)
        else { return nil }
        return !rewriting.isTried || isDecodable(file) ? file : nil
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
