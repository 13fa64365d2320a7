import Base
import CVips
import CVipsShim
import DecoderWire
import Media

extension Picture {
    /// Returns the picture as `in8Bits` does, except that a picture of high dynamic range keeps 16 bits, so that its dark
    /// parts keep their steps.
    func reduced(from coding: ColorCoding?) throws(DecodeError) -> Picture {
        guard coding?.transfer.isHighDynamicRange == true, has16Bits else { return try in8Bits() }
        return try firstBands(min(bands, 4))
    }

    /// Returns the picture with 8 bits a band, as CMYK, RGB, or gray, with or without alpha.
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

    /// Returns the picture with 8 bits in sRGB or gray. Keeps alpha.
    ///
    /// - Parameter coding: The coding of its values; `nil` for the one that its profile describes, or for sRGB.
    /// - Returns: A reference to the same picture if nothing changes.
    /// - Throws: The error of libvips.
    func inStandardColors(from coding: ColorCoding? = nil) throws(DecodeError) -> Picture {
        if let coding { return try mapped(from: coding) }
        if interpretation == VIPS_INTERPRETATION_CMYK {
            return try convertedByProfile(fallback: "cmyk").with8Bits()
        }
        guard needsProfile else { return shared() }
        do {
            guard hasGrayProfile else { return try convertedByProfile(fallback: "srgb").with8Bits() }
            return try isGray() ? grayBands().convertedByProfile(fallback: "srgb").with8Bits() : shared()
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

// MARK: - Mapping

extension Picture {
    /// Returns a new picture in memory, with 8 bits in sRGB or gray.
    func mapped(from coding: ColorCoding) throws(DecodeError) -> Picture {
        let mapped = try unsafe Picture.make("map") { made in unsafe cvips_new_standard(image, &made) }
        guard let values = unsafe vips_image_get_data(image), let target = unsafe vips_image_get_data(mapped.image),
            has8Bits || has16Bits, let rowCount = SafeSize.product(width, bands)
        else { throw VipsError("map").failure }
        var row = [UInt16](repeating: 0, count: rowCount)
        let has8Bits = has8Bits
        /// Reads a row of values with 16 bits.
        func read(_ y: Int) {
            if has8Bits {
                let from = unsafe values.assumingMemoryBound(to: UInt8.self) + y * rowCount
                for index in 0..<rowCount { row[index] = unsafe UInt16(from[index]) * 257 }
            } else {
                let from = unsafe values.assumingMemoryBound(to: UInt16.self) + y * rowCount
                for index in 0..<rowCount { row[index] = unsafe from[index] }
            }
        }
        var mapping = ColorMapping(from: coding)
        if coding.transfer.isHighDynamicRange {
            var counts = ColorMapping.noCounts
            for y in 0..<height {
                read(y)
                mapping.count(row, bands: bands, into: &counts)
            }
            mapping = ColorMapping(from: coding, peak: mapping.peak(of: counts))
        }
        for y in 0..<height {
            read(y)
            let to = unsafe UnsafeMutableRawPointer(mutating: target).assumingMemoryBound(to: UInt8.self) + y * rowCount
            unsafe mapping.map(row, to, count: width, bands: bands)
        }
        return mapped
    }
}

/// The meaning of a source's color values, if its profile doesn't say it.
struct SourceColors {
    /// The coding of the values. `nil` if they are those of the picture's profile, or of sRGB if it has none.
    let coding: ColorCoding?
    /// A Boolean value that indicates whether a rewritten container keeps the coding.
    let staysInContainer: Bool

    private init(_ coding: ColorCoding?, staysInContainer: Bool = false) {
        self.coding = coding
        self.staysInContainer = staysInContainer
    }

    static let standard = SourceColors(nil)

    /// Reads what libvips doesn't tell from the container.
    init(of picture: borrowing Picture, from source: any SourceBytes, _ format: MediaFormat, _ heif: HEIFHeader?) {
        let profile = picture.profile
        switch format {
        case .png:
            let colors = PNGColors(of: source)
            if let coding = colors.numberedCoding {
                self.init(coding.isStandard ? nil : coding)
            } else if let coding = profile?.brightCoding {
                self.init(coding)
            } else {
                self.init(colors.measuredCoding, staysInContainer: true)
            }
        case .heic, .avif:
            self.init(profile?.brightCoding ?? heif?.coding(hasProfile: profile != nil))
        default:
            self.init(profile == nil ? picture.cameraCoding : profile?.brightCoding)
        }
    }
}

extension Picture {
    /// The coding of a camera's picture without a color profile, if EXIF data says that it has the colors of Adobe RGB
    /// (1998): the index of "DCF optional file", CIPA DC-009, section 4.2.2. `nil` for any other picture.
    var cameraCoding: ColorCoding? {
        // The third directory holds GPS data, the fourth what readers share. Grays have no primaries, but the same curve.
        guard interpretation == VIPS_INTERPRETATION_sRGB || interpretation == VIPS_INTERPRETATION_B_W,
            let index = string("exif-ifd4-InteroperabilityIndex"), index.hasPrefix("R03")
        else { return nil }
        return ColorCoding(primaries: .adobe, transfer: .gamma(2.199_218_75))
    }
}

// MARK: - Profiles

extension Picture {
    private var embeddedProfile: ColorProfile? { blob("icc-profile-data").flatMap(ColorProfile.init) }

    /// The color profile of the values; `nil` if the picture has no profile or a profile for other values.
    var profile: ColorProfile? {
        embeddedProfile.flatMap { $0.describes(interpretation, bands: bands) ? $0 : nil }
    }

    /// A Boolean value that indicates whether the picture has a color profile other than sRGB, so that its colors
    /// must be converted.
    var needsProfile: Bool { (profile ?? grayProfile).map { !$0.isStandard } ?? false }

    /// A Boolean value that indicates whether the picture has three bands and a profile of one. It is that of a gray picture
    /// that its format keeps in three bands, as WebP does, or its loader, as that of AVIF does.
    var hasGrayProfile: Bool { grayProfile != nil }

    private var grayProfile: ColorProfile? {
        guard bands >= 3, interpretation != VIPS_INTERPRETATION_CMYK, let profile = embeddedProfile else { return nil }
        return profile.isGray ? profile : nil
    }
}

// MARK: - Visible colors

extension Picture {
    /// The alpha from which on colors are kept as they are.
    private static let visibleAlpha = 64

    /// Returns a copy of a picture in memory with 8 bits and alpha, in which the colors of almost transparent pixels have no
    /// more steps than can be seen.
    ///
    /// Nothing shows the other steps: screens multiply colors by alpha. WebP's losses there are noise, which a PNG would
    /// keep at many times the source's size, and the colors below transparent pixels may be private.
    func withVisibleColors() throws(DecodeError) -> Picture {
        let copy = try unsafe Picture.make("copy") { made in unsafe cvips_new_standard(image, &made) }
        guard let values = unsafe vips_image_get_data(image), let target = unsafe vips_image_get_data(copy.image),
            has8Bits, let count = SafeSize.product(width, height, bands)
        else { throw VipsError("copy").failure }
        let from = unsafe values.assumingMemoryBound(to: UInt8.self)
        let to = unsafe UnsafeMutableRawPointer(mutating: target).assumingMemoryBound(to: UInt8.self)
        let steps = Self.visibleSteps
        let colors = bands - 1
        for start in stride(from: 0, to: count, by: bands) {
            let alpha = unsafe Int(from[start + colors])
            unsafe to[start + colors] = from[start + colors]
            for band in start..<start + colors {
                let value = unsafe from[band]
                unsafe to[band] = alpha < Self.visibleAlpha ? steps[alpha << 8 | Int(value)] : value
            }
        }
        return copy
    }

    /// The values to show for each alpha and value: those that give the same product, as few as there are products.
    private static var visibleSteps: [UInt8] {
        (0..<visibleAlpha << 8).map { index in
            let (alpha, value) = (index >> 8, index & 0xFF)
            guard alpha > 0 else { return 0 }
            let product = (value * alpha + 127) / 255
            return UInt8(clamping: (product * 255 + alpha / 2) / alpha)
        }
    }
}
