/// A step of the work on an attachment. A later rung may replace an earlier one while time is left.
package enum Rung: String, Sendable, Hashable, CaseIterable {
    /// The source's own coded data in a rewritten container.
    case remuxed
    /// The thumbnail that a camera stores beside the photo.
    case embeddedThumbnail = "embedded-thumbnail"
    /// A picture decoded from the bytes that came before the download stopped.
    case partial
    /// A picture decoded at reduced resolution, to save time.
    case fast
    /// The full-quality picture, scaled down to fit the profile.
    case downscaled
    case firstFrame = "first-frame"
    /// An animation that lost frames, or its end, to fit the byte budget; sound that lost its end to be in time.
    case shortened
    case animation
    case poster
    case copied
    case transcoded

    /// A Boolean value that indicates whether a whole source could have no better output under the same profile.
    package var isLast: Bool {
        switch self {
        case .remuxed, .downscaled, .animation, .transcoded: true
        case .embeddedThumbnail, .partial, .fast, .firstFrame, .shortened, .poster, .copied: false
        }
    }
}
