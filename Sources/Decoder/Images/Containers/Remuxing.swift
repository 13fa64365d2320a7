import CVips
import DecoderWire
import Media

/// The rewriting of a source's own coded data into a container with nothing else in it.
struct Remuxing {
    let header: PictureHeader
    let byteLimit: Int

    /// Emits the rewritten source if it is within the limit and decodes without any warning.
    ///
    /// - Returns: `true` if it was emitted. Otherwise the picture must be encoded again.
    /// - Throws: The error of the output.
    func publish(_ source: any SourceBytes, to publisher: RungPublisher) throws(DecodeFailure) -> Bool {
        let bytes = source.readToEnd()
        guard source.isWhole, let stripped = strip(bytes), stripped.count <= byteLimit,
            isDecodable(stripped)
        else { return false }
        let report = RungReport(
            rung: .remuxed,
            format: header.format,
            byteCount: stripped.count,
            width: header.size.width,
            height: header.size.height,
            frames: header.frames,
            durationMilliseconds: header.report.durationMilliseconds,
        )
        try publisher.publish(report, stripped)
        return true
    }

    private func strip(_ bytes: [UInt8]) -> [UInt8]? {
        switch header.format {
        case .jpeg: JPEGContainer.stripped(bytes)
        case .png: PNGContainer.stripped(bytes)
        case .gif where GIFContainer.screen(of: bytes) == header.storedSize: GIFContainer.stripped(bytes)
        default: nil
        }
    }

    private func isDecodable(_ bytes: [UInt8]) -> Bool {
        let loader = PictureLoader(format: header.format, frames: header.frames, failOn: VIPS_FAIL_ON_WARNING)
        do throws(DecodeFailure) {
            try loader.open(PictureSource(BytesInMemory(bytes), header.format)).check()
            return true
        } catch {
            return false
        }
    }
}
