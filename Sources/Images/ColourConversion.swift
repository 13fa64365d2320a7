import CVips
import DecoderWire

extension Picture {
    /// In 8-bit sRGB or grey, alpha kept, whatever it was in before.
    func inStandardColours() throws(DecodeFailure) -> Picture {
        switch interpretation {
        case VIPS_INTERPRETATION_CMYK:
            return try convertedByProfile(fallback: "cmyk").with8Bits()
        case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_RGB16:
            let picture = try with8Bits()
            guard needsProfile else { return picture }
            do {
                return try picture.convertedByProfile(fallback: "srgb").with8Bits()
            } catch {
                // A broken profile says nothing: the numbers are taken as sRGB then.
                return picture
            }
        case VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16:
            return try with8Bits()
        case VIPS_INTERPRETATION_MULTIBAND:
            return try firstBands(bands < 3 ? 1 : 3).with8Bits()
        default:
            return try converted(to: VIPS_INTERPRETATION_sRGB).with8Bits()
        }
    }

    /// Scaled to exactly `size`. Transparent pixels don't bleed their invisible colour into visible ones.
    func scaled(to size: PixelSize) throws(DecodeFailure) -> Picture {
        guard size != self.size else { return shared() }
        guard hasAlpha else { return try resized(to: size) }
        return try with8Bits().premultiplied().resized(to: size).unpremultiplied().with8Bits()
    }

    /// Turned as EXIF's `orientation` says.
    func upright(from orientation: Int) throws(DecodeFailure) -> Picture {
        let angle =
            switch orientation {
            case 3, 4: VIPS_ANGLE_D180
            case 5, 6: VIPS_ANGLE_D90
            case 7, 8: VIPS_ANGLE_D270
            default: VIPS_ANGLE_D0
            }
        let turned = try rotated(by: angle)
        return [2, 4, 5, 7].contains(orientation) ? try turned.mirrored() : turned
    }
}
