import CVips
import CVipsShim
import DecoderWire

/// A reference to one libvips image, given back when the value goes out of scope.
///
/// Operations are lazy: a picture is a recipe until it is rendered, and holds on to what it is made from.
@safe
struct Picture: ~Copyable {
    private let image: UnsafeMutablePointer<VipsImage>

    private init(adopting image: UnsafeMutablePointer<VipsImage>) { unsafe self.image = image }

    deinit { unsafe g_object_unref(image) }

    /// The picture that `operation` leaves in its argument, or libvips' reason for not doing so.
    static func make(
        _ name: String,
        _ operation: (inout UnsafeMutablePointer<VipsImage>?) -> Int32,
    ) throws(DecodeFailure) -> Picture {
        var made: UnsafeMutablePointer<VipsImage>?
        guard unsafe operation(&made) == 0, let made = unsafe made else { throw VipsError(name).failure }
        return unsafe Picture(adopting: made)
    }

    /// Another reference to the same image.
    func shared() -> Picture {
        unsafe g_object_ref(image)
        return unsafe Picture(adopting: image)
    }

    var width: Int { unsafe Int(vips_image_get_width(image)) }
    var height: Int { unsafe Int(vips_image_get_height(image)) }
    var size: PixelSize { PixelSize(width: width, height: height) }
    var bands: Int { unsafe Int(vips_image_get_bands(image)) }
    var hasAlpha: Bool { unsafe vips_image_hasalpha(image) != 0 }
    var has8Bits: Bool { unsafe vips_image_get_format(image) == VIPS_FORMAT_UCHAR }
    var interpretation: VipsInterpretation { unsafe vips_image_guess_interpretation(image) }

    // MARK: Metadata

    func integer(_ field: String) -> Int? {
        var value: Int32 = 0
        guard unsafe vips_image_get_typeof(image, field) != 0, unsafe vips_image_get_int(image, field, &value) == 0
        else { return nil }
        return Int(value)
    }

    func integers(_ field: String) -> [Int] {
        var values: UnsafeMutablePointer<Int32>?
        var count: Int32 = 0
        guard unsafe vips_image_get_typeof(image, field) != 0,
            unsafe vips_image_get_array_int(image, field, &values, &count) == 0
        else { return [] }
        return unsafe UnsafeBufferPointer(start: values, count: Int(count)).map(Int.init)
    }

    func blob(_ field: String) -> [UInt8]? {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard unsafe vips_image_get_typeof(image, field) != 0,
            unsafe vips_image_get_blob(image, field, &bytes, &count) == 0
        else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// As in EXIF, 1 to 8; 1 where nothing is said.
    var orientation: Int { unsafe Int(vips_image_get_orientation(image)) }

    // MARK: Shape

    func cropped(to area: PixelArea) throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("crop") { made in
            unsafe cvips_crop(image, Int32(area.x), Int32(area.y), Int32(area.width), Int32(area.height), &made)
        }
    }

    /// Scaled to exactly `size`.
    func resized(to size: PixelSize) throws(DecodeFailure) -> Picture {
        let horizontal = Double(size.width) / Double(width)
        let vertical = Double(size.height) / Double(height)
        return try unsafe Picture.make("resize") { made in unsafe cvips_resize(image, horizontal, vertical, &made) }
    }

    func rotated(by angle: VipsAngle) throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("rot") { made in unsafe cvips_rotate(image, angle, &made) }
    }

    func mirrored() throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("flip") { made in unsafe cvips_flip(image, VIPS_DIRECTION_HORIZONTAL, &made) }
    }

    // MARK: Colour

    func premultiplied() throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("premultiply") { made in unsafe cvips_premultiply(image, &made) }
    }

    func unpremultiplied() throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("unpremultiply") { made in unsafe cvips_unpremultiply(image, &made) }
    }

    func with8Bits() throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("cast") { made in unsafe cvips_to_8_bit(image, &made) }
    }

    func converted(to space: VipsInterpretation) throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("colourspace") { made in unsafe cvips_colourspace(image, space, &made) }
    }

    /// In sRGB, by the embedded profile, or by libvips' own profile of the name `fallback`.
    func convertedByProfile(fallback: String) throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("icc_transform") { made in unsafe cvips_icc_to_srgb(image, fallback, &made) }
    }

    func flattenedOnWhite() throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("flatten") { made in unsafe cvips_flatten_white(image, &made) }
    }

    func firstBands(_ count: Int) throws(DecodeFailure) -> Picture {
        try unsafe Picture.make("extract_band") { made in unsafe cvips_first_bands(image, Int32(count), &made) }
    }

    /// The alpha of the most transparent pixel, 255 being opaque.
    func lowestAlpha() throws(DecodeFailure) -> Int {
        var lowest = 0.0
        guard unsafe cvips_alpha_minimum(image, &lowest) == 0 else { throw VipsError("min").failure }
        return Int(lowest)
    }

    // MARK: Pixels and files

    /// The picture in memory, without metadata: what was computed from top to bottom until `keep` said no.
    ///
    /// - Parameter keep: Asked after each strip, with the number of rows that there are with it.
    /// - Returns: The picture, and how much of it there is.
    /// - Throws: Why a pixel cannot be computed.
    func rendered(while keep: @escaping (_ rows: Int) -> Bool) throws(DecodeFailure) -> RenderedPicture {
        let question = KeepQuestion(ask: keep)
        var rows: Int32 = 0
        let picture = try unsafe Picture.make("render") { made in
            unsafe cvips_render(image, askToKeep, Unmanaged.passUnretained(question).toOpaque(), &made, &rows)
        }
        return RenderedPicture(picture: picture, rows: Int(rows))
    }

    /// Computes every pixel and forgets it.
    ///
    /// - Returns: Whether all of them were computed before `keep` said no.
    /// - Throws: Why they cannot be.
    func check(while keep: @escaping (_ rows: Int) -> Bool) throws(DecodeFailure) -> Bool {
        let question = KeepQuestion(ask: keep)
        var rows: Int32 = 0
        let opaque = unsafe Unmanaged.passUnretained(question).toOpaque()
        guard unsafe cvips_render(image, askToKeep, opaque, nil, &rows) == 0 else { throw VipsError("check").failure }
        return Int(rows) == height
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
}

/// A picture in memory, of full height, and black below `rows`.
struct RenderedPicture: ~Copyable {
    let picture: Picture
    let rows: Int

    var isComplete: Bool { rows == picture.height }
}

/// Carries a question through C.
private final class KeepQuestion {
    let ask: (_ rows: Int) -> Bool

    init(ask: @escaping (_ rows: Int) -> Bool) { self.ask = ask }
}

private let askToKeep: cvips_keep = { user, rows in
    guard let user = unsafe user else { return 0 }
    return unsafe Unmanaged<KeepQuestion>.fromOpaque(user).takeUnretainedValue().ask(Int(rows)) ? 1 : 0
}
