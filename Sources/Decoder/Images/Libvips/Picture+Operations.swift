import CVips
import CVipsShim
import DecoderWire
import Media

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

    /// Returns a picture of 16 bits a band scaled to exactly `size`. The invisible colour of transparent pixels does not
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

    // MARK: Colour

    private func premultiplied() throws(DecodeError) -> Picture {
        try unsafe Picture.make("premultiply") { made in unsafe cvips_premultiply(image, &made) }
    }

    /// Returns a picture whose colours are no longer multiplied by alpha, with as many bits.
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
        try unsafe Picture.make("colourspace") { made in unsafe cvips_colourspace(image, space, &made) }
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
    func greyBands() throws(DecodeError) -> Picture {
        try unsafe Picture.make("grey_bands") { made in unsafe cvips_grey_bands(image, &made) }
    }

    func flattenedOnWhite() throws(DecodeError) -> Picture { try flattened(onGrey: 255) }

    /// Returns the picture without alpha, on a background of a grey from 0 to 255.
    func flattened(onGrey grey: Double) throws(DecodeError) -> Picture {
        try unsafe Picture.make("flatten") { made in unsafe cvips_flatten(image, grey, &made) }
    }

    func firstBands(_ count: Int) throws(DecodeError) -> Picture {
        try unsafe Picture.make("extract_band") { made in unsafe cvips_first_bands(image, Int32(count), &made) }
    }
}
