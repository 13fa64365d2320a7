import CVips
import Colours
import DecoderWire

extension Picture {
    /// Returns the picture as `in8Bits` does, except that a picture of high dynamic range keeps 16 bits, so that its dark
    /// parts keep their steps.
    func reduced(from coding: ColourCoding?) throws(DecodeError) -> Picture {
        guard coding?.transfer.isHighDynamicRange == true, has16Bits else { return try in8Bits() }
        return try firstBands(min(bands, 4))
    }

    /// Returns the picture with 8 bits a band, as CMYK, RGB, or grey, with or without alpha.
    func in8Bits() throws(DecodeError) -> Picture {
        switch interpretation {
        case VIPS_INTERPRETATION_CMYK:
            try firstBands(min(bands, 4)).with8Bits()
        case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_RGB16:
            try firstBands(min(bands, 4)).with8Bits()
        case VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16:
            try firstBands(min(bands, 2)).with8Bits()
        case VIPS_INTERPRETATION_MULTIBAND:
            try firstBands(bands < 3 ? 1 : 3).with8Bits()
        default:
            try converted(to: VIPS_INTERPRETATION_sRGB).with8Bits()
        }
    }

    /// Returns the picture with 8 bits in sRGB or grey. Keeps alpha.
    ///
    /// - Parameter coding: The coding of its values; `nil` for the one that its profile describes, or for sRGB.
    /// - Returns: A reference to the same picture if nothing changes.
    /// - Throws: The error of libvips.
    func inStandardColours(from coding: ColourCoding? = nil) throws(DecodeError) -> Picture {
        if let coding { return try mapped(from: coding) }
        if interpretation == VIPS_INTERPRETATION_CMYK {
            return try convertedByProfile(fallback: "cmyk").with8Bits()
        }
        guard needsProfile else { return shared() }
        do {
            guard hasGreyProfile else { return try convertedByProfile(fallback: "srgb").with8Bits() }
            return try isGrey() ? greyBands().convertedByProfile(fallback: "srgb").with8Bits() : shared()
        } catch {
            // Takes the values as sRGB if the profile is broken.
            return shared()
        }
    }

    /// Returns the picture turned by EXIF's `orientation`.
    func upright(from orientation: Int) throws(DecodeError) -> Picture {
        guard (2...8).contains(orientation) else { return shared() }
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
