import CVips

extension Picture {
    private var embeddedProfile: ColourProfile? { blob("icc-profile-data").flatMap(ColourProfile.init) }

    /// The colour profile of the values; `nil` if the picture has none, or one of other values.
    var profile: ColourProfile? {
        embeddedProfile.flatMap { $0.describes(interpretation, bands: bands) ? $0 : nil }
    }

    /// A Boolean value that indicates whether the picture has a colour profile other than sRGB, so that its colours
    /// must be converted.
    var needsProfile: Bool { (profile ?? greyProfile).map { !$0.isStandard } ?? false }

    /// A Boolean value that indicates whether the picture has three bands and a profile of one. It is that of a grey picture
    /// that its format keeps in three bands, as WebP does, or its loader, as that of AVIF does.
    var hasGreyProfile: Bool { greyProfile != nil }

    private var greyProfile: ColourProfile? {
        guard bands >= 3, interpretation != VIPS_INTERPRETATION_CMYK, let profile = embeddedProfile else { return nil }
        return profile.isGrey ? profile : nil
    }
}
