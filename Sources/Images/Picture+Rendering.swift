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
    /// The picture in memory, without metadata: what was computed from top to bottom until `keep` said no.
    ///
    /// - Parameter keep: Asked after each strip, before it counts.
    /// - Returns: The picture, and how much of it there is.
    /// - Throws: Why a pixel cannot be computed.
    func rendered(while keep: @escaping () -> Bool) throws(DecodeFailure) -> RenderedPicture {
        let question = KeepQuestion(ask: keep)
        var rows: Int32 = 0
        let picture = try unsafe Picture.make("render") { made in
            unsafe question.withPointer { unsafe cvips_render(image, askToKeep, $0, &made, &rows) }
        }
        return RenderedPicture(picture: picture, rows: Int(rows))
    }

    /// The whole picture in memory, without metadata.
    func inMemory() throws(DecodeFailure) -> Picture {
        let question = KeepQuestion { true }
        var rows: Int32 = 0
        return try unsafe Picture.make("render") { made in
            unsafe question.withPointer { unsafe cvips_render(image, askToKeep, $0, &made, &rows) }
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
