import CVips
import CVipsShim
import DecoderWire

/// A picture in memory, of full height, and black below `rows`.
struct RenderedPicture: ~Copyable {
    let picture: Picture
    let rows: Int

    var isComplete: Bool { rows == picture.height }
}

extension Picture {
    /// The picture in memory, scaled to `size`, without metadata but its profile: what was computed from top to bottom
    /// until `keep` said no.
    ///
    /// - Parameters:
    ///   - size: Not larger than the picture, which has 8 bits.
    ///   - keep: Asked after each strip of the unscaled picture, before it counts.
    /// - Returns: The picture, and how much of it there is.
    /// - Throws: Why a pixel cannot be computed.
    func rendered(scaledTo size: PixelSize, while keep: @escaping () -> Bool) throws(DecodeFailure) -> RenderedPicture {
        var rows: Int32 = 0
        let picture = try render(size, KeepQuestion(ask: keep), &rows)
        return RenderedPicture(picture: picture, rows: Int(rows))
    }

    /// The same of the whole picture.
    func inMemory(scaledTo size: PixelSize? = nil) throws(DecodeFailure) -> Picture {
        var rows: Int32 = 0
        return try render(size ?? self.size, KeepQuestion { true }, &rows)
    }

    private func render(
        _ size: PixelSize,
        _ question: KeepQuestion,
        _ rows: inout Int32,
    ) throws(DecodeFailure) -> Picture {
        if hasAlpha, size != self.size { return try resized(to: size).render(size, question, &rows) }
        return try unsafe Picture.make("render") { made in
            unsafe question.withPointer { user in
                guard size != self.size else { return unsafe cvips_render(image, askToKeep, user, &made, &rows) }
                let (width, height) = (Int32(size.width), Int32(size.height))
                return unsafe cvips_render_scaled(image, width, height, askToKeep, user, &made, &rows)
            }
        }
    }

    /// Computes every pixel and forgets it.
    ///
    /// - Throws: Why one cannot be computed.
    func check() throws(DecodeFailure) {
        let question = KeepQuestion { true }
        var rows: Int32 = 0
        let status = unsafe question.withPointer { unsafe cvips_render(image, askToKeep, $0, nil, &rows) }
        guard status == 0 else { throw VipsError("check").failure }
    }

    /// Whether every pixel of a picture in memory is opaque.
    func isOpaque() throws(DecodeFailure) -> Bool {
        let answer = unsafe cvips_is_opaque(image)
        guard answer >= 0 else { throw VipsError("opaque").failure }
        return answer == 1
    }

    func jpeg(quality: Int) throws(DecodeFailure) -> EncodedBytes {
        try unsafe EncodedBytes.make("jpegsave") { bytes, count in
            unsafe cvips_jpegsave(image, Int32(quality), &bytes, &count)
        }
    }

    /// A small JPEG of a picture in memory, on white.
    func preview(longEdge: Int) throws(DecodeFailure) -> EncodedBytes {
        let quality = 65
        let small = try inMemory(scaledTo: size.fitting(longEdge: longEdge))
        guard small.hasAlpha else { return try small.jpeg(quality: quality) }
        return try small.flattenedOnWhite().jpeg(quality: quality)
    }

    func png(isPaletted: Bool) throws(DecodeFailure) -> EncodedBytes {
        try unsafe EncodedBytes.make("pngsave") { bytes, count in
            unsafe cvips_pngsave(image, isPaletted ? 1 : 0, &bytes, &count)
        }
    }

    /// - Parameter effort: How hard libvips tries to find the best colours, 1 to 10.
    /// - Returns: A GIF of one frame, or of those that `joined` put together.
    /// - Throws: What libvips says of it.
    func gif(effort: Int) throws(DecodeFailure) -> EncodedBytes {
        try unsafe EncodedBytes.make("gifsave") { bytes, count in
            unsafe cvips_gifsave(image, Int32(effort), &bytes, &count)
        }
    }
}

/// Carries a question through C.
private final class KeepQuestion {
    let ask: () -> Bool

    init(ask: @escaping () -> Bool) { self.ask = ask }

    /// Lives for as long as `body` runs.
    func withPointer<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        withExtendedLifetime(self) { unsafe body(Unmanaged.passUnretained(self).toOpaque()) }
    }
}

private let askToKeep: cvips_keep = { user in
    guard let user = unsafe user else { return 0 }
    return unsafe Unmanaged<KeepQuestion>.fromOpaque(user).takeUnretainedValue().ask() ? 1 : 0
}
