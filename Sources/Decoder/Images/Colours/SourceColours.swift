import Colours
import DecoderWire
import Media

/// The meaning of a source's colour values, if its profile doesn't say it.
struct SourceColours {
    /// The coding of the values. `nil` if they are those of the picture's profile, or of sRGB if it has none.
    let coding: ColourCoding?
    /// A Boolean value that indicates whether a rewritten container keeps the coding.
    let staysInContainer: Bool

    private init(_ coding: ColourCoding?, staysInContainer: Bool = false) {
        self.coding = coding
        self.staysInContainer = staysInContainer
    }

    static let standard = SourceColours(nil)

    /// Reads what libvips doesn't tell from the container.
    init(of picture: borrowing Picture, from source: any SourceBytes, _ format: MediaFormat, _ heif: HEIFHeader?) {
        let profile = picture.profile
        switch format {
        case .png:
            let colours = PNGColours(of: source)
            if let coding = colours.numberedCoding {
                self.init(coding.isStandard ? nil : coding)
            } else if let coding = profile?.brightCoding {
                self.init(coding)
            } else {
                self.init(colours.measuredCoding, staysInContainer: true)
            }
        case .heic, .avif:
            self.init(profile?.brightCoding ?? heif?.coding(hasProfile: profile != nil))
        default:
            self.init(profile == nil ? picture.cameraCoding : profile?.brightCoding)
        }
    }
}
