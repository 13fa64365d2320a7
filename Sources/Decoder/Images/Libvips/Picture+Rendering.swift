import CVips
import CVipsShim
import DecoderWire
import Media

/// A picture in memory, of full height. The part below `rows` is black.
struct RenderedPicture: ~Copyable {
    let picture: Picture
    let rows: Int

    var isComplete: Bool { rows == picture.height }
}

extension Picture {
    /// Renders the picture into memory, scaled to `size`, without metadata except its profile. Stops computing rows
    /// when `keep` returns `false`.
    ///
    /// - Parameters:
    ///   - size: The new size, not larger than the picture, which has 8 or 16 bits.
    ///   - keep: Asked after each strip of the unscaled picture, before the strip counts.
    /// - Returns: The picture, and its number of complete rows.
    /// - Throws: The reason why a pixel cannot be computed.
    func rendered(scaledTo size: PixelSize, while keep: @escaping () -> Bool) throws(DecodeError) -> RenderedPicture {
        var rows: Int32 = 0
        let picture = try render(size, KeepCallback(ask: keep), &rows)
        return RenderedPicture(picture: picture, rows: Int(rows))
    }

    /// A Boolean value that indicates whether libjpeg's rows are those of the picture, which `loader` made: gray or RGB.
    func hasRows(of loader: PictureLoader) -> Bool {
        let hasColors = interpretation == VIPS_INTERPRETATION_sRGB && bands == 3
        return loader.format == .jpeg && has8Bits
            && (hasColors || interpretation == VIPS_INTERPRETATION_B_W && bands == 1)
    }

    /// Renders a part of a JPEG, straight from its rows, scaled to `size`.
    ///
    /// - Parameters:
    ///   - area: The part of the picture.
    ///   - source: The source from which the picture was made.
    ///   - shrink: The factor by which its loader shrank.
    ///   - size: The new size, not larger than the part.
    ///   - keep: Asked after each strip of the part, before the strip counts.
    /// - Returns: The part, and its number of complete rows.
    /// - Throws: The reason why a pixel cannot be computed.
    func renderedRows(
        of area: PixelArea,
        from source: PictureSource,
        shrink: Int,
        scaledTo size: PixelSize,
        while keep: @escaping () -> Bool,
    ) throws(DecodeError) -> RenderedPicture {
        var rows: Int32 = 0
        let callback = KeepCallback(ask: keep)
        let part = VipsRect(
            left: Int32(area.x),
            top: Int32(area.y),
            width: Int32(area.width),
            height: Int32(area.height)
        )
        let picture = try unsafe Picture.make("jpegrows") { made in
            unsafe callback.withPointer { user in
                unsafe source.withReader { read, bytes in
                    unsafe cvips_jpeg_render_scaled(
                        image,
                        read,
                        bytes,
                        Int32(shrink),
                        part,
                        Int32(size.width),
                        Int32(size.height),
                        askToKeep,
                        user,
                        &made,
                        &rows
                    )
                }
            }
        }
        return RenderedPicture(picture: picture, rows: Int(rows))
    }

    /// Renders the whole picture into memory, or returns a reference to the same picture if it is there in this size.
    func inMemory(scaledTo size: PixelSize? = nil) throws(DecodeError) -> Picture {
        if (size ?? self.size) == self.size, unsafe cvips_is_in_memory(image) == 1 { return shared() }
        var rows: Int32 = 0
        return try render(size ?? self.size, KeepCallback { true }, &rows)
    }

    private func render(
        _ size: PixelSize,
        _ callback: KeepCallback,
        _ rows: inout Int32,
    ) throws(DecodeError) -> Picture {
        if has16Bits, size != self.size { return try resized(to: size).render(size, callback, &rows) }
        return try unsafe Picture.make("render") { made in
            unsafe callback.withPointer { user in
                guard size != self.size else { return unsafe cvips_render(image, askToKeep, user, &made, &rows) }
                let (width, height) = (Int32(size.width), Int32(size.height))
                return unsafe cvips_render_scaled(image, width, height, askToKeep, user, &made, &rows)
            }
        }
    }

    /// Computes every pixel and discards it.
    ///
    /// - Throws: The reason why a pixel cannot be computed.
    func check() throws(DecodeError) {
        let callback = KeepCallback { true }
        var rows: Int32 = 0
        let status = unsafe callback.withPointer { unsafe cvips_render(image, askToKeep, $0, nil, &rows) }
        guard status == 0 else { throw VipsError("check").failure }
    }

    /// Returns `true` if every pixel of a picture in memory is opaque.
    func isOpaque() throws(DecodeError) -> Bool {
        let answer = unsafe cvips_is_opaque(image)
        guard answer >= 0 else { throw VipsError("opaque").failure }
        return answer == 1
    }

    /// Returns `true` if all bands of a picture in memory, but alpha, are the same.
    func isGray() throws(DecodeError) -> Bool {
        let answer = unsafe cvips_is_gray(image)
        guard answer >= 0 else { throw VipsError("gray").failure }
        return answer == 1
    }

    /// A Boolean value that indicates whether the picture, which is in memory, has text or lines in saturated colors,
    /// which 4:2:0 would blur: more than `share` of its squares of four pixels.
    func hasSharpColor(inMoreThan share: Double) -> Bool { unsafe cvips_has_sharp_color(image, share) == 1 }

    /// Returns a small JPEG of a picture in memory. Transparent parts become gray, on which black and white marks are
    /// visible, and which does not look like a bright box on a dark page.
    func thumbnail(longEdge: Int) throws(DecodeError) -> EncodedBytes {
        let quality = 65
        let small = try inMemory(scaledTo: size.fitting(longEdge: longEdge))
        guard small.hasAlpha else { return try small.jpeg(quality: quality) }
        return try small.flattened(onGray: 144).jpeg(quality: quality)
    }
}

/// A closure that C code calls through a pointer.
private final class KeepCallback {
    let ask: () -> Bool

    init(ask: @escaping () -> Bool) { self.ask = ask }

    /// Calls `body` with a pointer that is valid during the call.
    func withPointer<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        withExtendedLifetime(self) { unsafe body(Unmanaged.passUnretained(self).toOpaque()) }
    }
}

private let askToKeep: cvips_keep = { user in
    guard let user = unsafe user else { return 0 }
    return unsafe Unmanaged<KeepCallback>.fromOpaque(user).takeUnretainedValue().ask() ? 1 : 0
}

// MARK: - Encoded bytes

/// A finished file in memory that libvips allocated. It is freed when the value goes out of scope.
@safe
struct EncodedBytes: ~Copyable {
    private let start: UnsafeMutableRawPointer
    let count: Int

    private init(adopting start: UnsafeMutableRawPointer, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    deinit { unsafe g_free(start) }

    static func make(
        _ name: String,
        _ operation: (inout UnsafeMutableRawPointer?, inout Int) -> Int32,
    ) throws(DecodeError) -> EncodedBytes {
        var start: UnsafeMutableRawPointer?
        var count = 0
        guard unsafe operation(&start, &count) == 0, let start = unsafe start else { throw VipsError(name).failure }
        return unsafe EncodedBytes(adopting: start, count: count)
    }

    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
