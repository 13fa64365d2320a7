import CVips
import CVipsShim
import DecoderWire
import Media

/// A reference to one libvips image, released when the value goes out of scope.
///
/// Operations are lazy: a picture is only a description until it is rendered, and keeps the pictures that it is made
/// from.
@safe
struct Picture: ~Copyable {
    /// The libvips image. Only the extensions of this type that wrap libvips' operations use it.
    let image: UnsafeMutablePointer<VipsImage>

    private init(adopting image: UnsafeMutablePointer<VipsImage>) { unsafe self.image = image }

    deinit { unsafe g_object_unref(image) }

    /// Returns the picture that `operation` stores in its argument, or throws libvips' error.
    static func make(
        _ name: String,
        _ operation: (inout UnsafeMutablePointer<VipsImage>?) -> Int32,
    ) throws(DecodeError) -> Picture {
        var made: UnsafeMutablePointer<VipsImage>?
        guard unsafe operation(&made) == 0, let made = unsafe made else { throw VipsError(name).failure }
        return unsafe Picture(adopting: made)
    }

    /// Returns another reference to the same image.
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
    var has16Bits: Bool { unsafe vips_image_get_format(image) == VIPS_FORMAT_USHORT }
    var interpretation: VipsInterpretation { unsafe vips_image_guess_interpretation(image) }

    /// A copy of the values of a picture in memory with 8 bits, band by band.
    var pixels: [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: vips_image_get_data(image), count: width * height * bands))
    }

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

    func string(_ field: String) -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe vips_image_get_typeof(image, field) != 0, unsafe vips_image_get_string(image, field, &text) == 0,
            let text = unsafe text
        else { return nil }
        return unsafe String(cString: text)
    }

    func blob(_ field: String) -> [UInt8]? {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard unsafe vips_image_get_typeof(image, field) != 0,
            unsafe vips_image_get_blob(image, field, &bytes, &count) == 0
        else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

// MARK: - Operations

extension Picture {
    // MARK: Shape

    func cropped(to area: PixelArea) throws(DecodeError) -> Picture {
        try unsafe Picture.make("crop") { made in
            unsafe cvips_crop(image, Int32(area.x), Int32(area.y), Int32(area.width), Int32(area.height), &made)
        }
    }

    /// Returns the area of this size, not larger than the picture, that draws attention.
    func attention(_ size: PixelSize) throws(DecodeError) -> PixelArea {
        var (left, top) = (Int32(0), Int32(0))
        let status = unsafe cvips_attention(image, Int32(size.width), Int32(size.height), &left, &top)
        guard status == 0 else { throw VipsError("attention").failure }
        return PixelArea(x: Int(left), y: Int(top), width: size.width, height: size.height)
    }

    /// The middle of the square that draws attention in a picture in memory; `nil` for a square. A picture without it is
    /// as good.
    var focus: FocalPoint? {
        let side = min(width, height)
        guard width != height, let square = try? attention(PixelSize(width: side, height: side)) else { return nil }
        let (x, y) = (Double(square.x) + Double(side) / 2, Double(square.y) + Double(side) / 2)
        return FocalPoint(x: x / Double(width), y: y / Double(height))
    }

    /// Returns a picture of 16 bits a band scaled to exactly `size`. The invisible color of transparent pixels does not
    /// mix into visible ones.
    func resized(to size: PixelSize) throws(DecodeError) -> Picture {
        let horizontal = Double(size.width) / Double(width)
        let vertical = Double(size.height) / Double(height)
        let weighted = hasAlpha ? try premultiplied() : shared()
        let resized = try unsafe Picture.make("resize") { made in
            unsafe cvips_resize(weighted.image, horizontal, vertical, &made)
        }
        return hasAlpha ? try resized.unpremultiplied(in: VIPS_FORMAT_USHORT) : resized
    }

    func rotated(by angle: VipsAngle) throws(DecodeError) -> Picture {
        try unsafe Picture.make("rot") { made in unsafe cvips_rotate(image, angle, &made) }
    }

    func mirrored() throws(DecodeError) -> Picture {
        try unsafe Picture.make("flip") { made in unsafe cvips_flip(image, VIPS_DIRECTION_HORIZONTAL, &made) }
    }

    /// Returns a picture in memory, reduced by a whole number so that its longer side still has `longEdge` pixels.
    func reduced(toAbout longEdge: Int) throws(DecodeError) -> Picture {
        let factor = min(size.longEdge / longEdge, width, height, 256)
        guard factor > 1 else { return try inMemory() }
        return try unsafe Picture.make("reduce") { made in unsafe cvips_reduce(image, Int32(factor), &made) }
    }

    // MARK: Color

    private func premultiplied() throws(DecodeError) -> Picture {
        try unsafe Picture.make("premultiply") { made in unsafe cvips_premultiply(image, &made) }
    }

    /// Returns a picture whose colors are no longer multiplied by alpha, with as many bits.
    func unpremultiplied() throws(DecodeError) -> Picture {
        try unpremultiplied(in: has8Bits ? VIPS_FORMAT_UCHAR : VIPS_FORMAT_USHORT)
    }

    private func unpremultiplied(in format: VipsBandFormat) throws(DecodeError) -> Picture {
        try unsafe Picture.make("unpremultiply") { made in unsafe cvips_unpremultiply(image, format, &made) }
    }

    func with8Bits() throws(DecodeError) -> Picture {
        try unsafe Picture.make("cast") { made in unsafe cvips_to_8_bit(image, &made) }
    }

    func converted(to space: VipsInterpretation) throws(DecodeError) -> Picture {
        try unsafe Picture.make("colourspace") { made in unsafe cvips_colorspace(image, space, &made) }
    }

    /// Returns the picture in sRGB, converted by its embedded profile or by libvips' built-in profile `fallback`.
    func convertedByProfile(fallback: String) throws(DecodeError) -> Picture {
        let profile = profile
        let intent = profile?.intent ?? VIPS_INTENT_RELATIVE
        return try unsafe Picture.make("icc_transform") { made in
            unsafe cvips_icc_to_srgb(image, profile == nil ? 0 : 1, fallback, intent, &made)
        }
    }

    /// Returns the first band of a picture of three equal ones, with its alpha.
    func grayBands() throws(DecodeError) -> Picture {
        try unsafe Picture.make("gray_bands") { made in unsafe cvips_gray_bands(image, &made) }
    }

    func flattenedOnWhite() throws(DecodeError) -> Picture { try flattened(onGray: 255) }

    /// Returns the picture without alpha, on a background of a gray from 0 to 255.
    func flattened(onGray gray: Double) throws(DecodeError) -> Picture {
        try unsafe Picture.make("flatten") { made in unsafe cvips_flatten(image, gray, &made) }
    }

    /// Returns the first bands of the picture; all of them without `count`.
    consuming func keeping(_ count: Int?) throws(DecodeError) -> Picture {
        guard let count else { return self }
        return try firstBands(count)
    }

    func firstBands(_ count: Int) throws(DecodeError) -> Picture {
        try unsafe Picture.make("extract_band") { made in unsafe cvips_first_bands(image, Int32(count), &made) }
    }
}
