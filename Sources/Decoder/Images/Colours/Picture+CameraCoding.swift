import CVips
import Colours

extension Picture {
    /// The coding of a camera's picture without a colour profile, if EXIF data says that it has the colours of Adobe RGB
    /// (1998): the index of "DCF optional file", CIPA DC-009, section 4.2.2. `nil` for any other picture.
    var cameraCoding: ColourCoding? {
        // The third directory holds GPS data, the fourth what readers share. Greys have no primaries, but the same curve.
        guard interpretation == VIPS_INTERPRETATION_sRGB || interpretation == VIPS_INTERPRETATION_B_W,
            let index = string("exif-ifd4-InteroperabilityIndex"), index.hasPrefix("R03")
        else { return nil }
        return ColourCoding(primaries: .adobe, transfer: .gamma(2.199_218_75))
    }
}
