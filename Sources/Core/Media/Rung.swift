/// A step of the work on an attachment. A later rung may replace an earlier one while time is left.
///
/// The order of the cases is from cheap to good, and their position is their number in the messages of decoder
/// processes. `properties` has everything else about a rung.
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
    case poster
    /// An animation that lost frames, or its end, to fit the byte budget; a clip that lost them to be in time.
    case shortened
    case animation
    case copied
    case transcoded
}

extension Rung {
    /// The class of an output.
    package enum Class: Sendable {
        case picture, animation, video, sound

        package var kind: MediaFormat.Kind {
            switch self {
            case .picture, .animation: .image
            case .video: .video
            case .sound: .audio
            }
        }
    }

    /// The time that a rung takes, compared with the whole decoding of its source.
    package enum Cost: Sendable {
        /// Little time: always worth trying.
        case little
        /// Less than the full rung that follows: not worth trying where there is plenty of time.
        case reduced
        /// All of it: not worth trying where time is short.
        case full
    }

    /// The answer to whether a whole source could have a better output.
    package enum Finality: Sendable {
        /// Never under the same profile.
        case last
        case improvable
        /// Not where the profile has no animations.
        case lastWithoutAnimation
        /// Not where the profile has no videos.
        case lastWithoutVideo
        /// Not where it fits its byte budget. Coded data that is legal but exceeds its budget is encoded anew.
        case lastWithinBudget
    }

    package struct Properties: Sendable {
        package var classes: Set<Class>
        package var cost: Cost
        package var finality: Finality
        /// A Boolean value that indicates whether it shows every part of the source's picture.
        package var isWhole = true
    }

    /// The table of rungs.
    package var properties: Properties {
        switch self {
        case .remuxed: Properties(classes: [.picture, .animation], cost: .little, finality: .last)
        case .embeddedThumbnail: Properties(classes: [.picture], cost: .little, finality: .improvable)
        case .partial: Properties(classes: [.picture], cost: .little, finality: .improvable, isWhole: false)
        case .fast: Properties(classes: [.picture], cost: .reduced, finality: .improvable)
        case .downscaled: Properties(classes: [.picture], cost: .full, finality: .last)
        case .firstFrame: Properties(classes: [.picture], cost: .little, finality: .lastWithoutAnimation)
        case .poster: Properties(classes: [.picture], cost: .little, finality: .lastWithoutVideo)
        case .shortened: Properties(classes: [.animation, .video, .sound], cost: .little, finality: .improvable)
        case .animation: Properties(classes: [.animation], cost: .full, finality: .last)
        case .copied: Properties(classes: [.video, .sound], cost: .little, finality: .lastWithinBudget)
        case .transcoded: Properties(classes: [.video, .sound], cost: .full, finality: .last)
        }
    }

    /// Returns whether an output of this rung can be of that kind.
    package func isPossible(as kind: MediaFormat.Kind) -> Bool { properties.classes.contains { $0.kind == kind } }

    /// A Boolean value that indicates whether a whole source could have no better output under the same profile.
    package var isLast: Bool { properties.finality == .last }

    /// A Boolean value that indicates whether it is made to be there soon, so that its encoder must not take long.
    package var isHurried: Bool { properties.cost != .full }

    /// The position in the order from cheap to good. It is the order in which a decoder makes the rungs of one source.
    package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The rank among the outputs of one source. Higher is better.
    package var rank: Int { isLast ? Self.allCases.count : position }

    /// The longest sequences of rungs that one source can have, from a camera's photo to a long sound. Each rung belongs to
    /// one.
    package static let ladders: [[Rung]] = [
        [.embeddedThumbnail, .fast, .downscaled], [.embeddedThumbnail, .fast, .partial], [.remuxed],
        [.firstFrame, .shortened, .animation], [.poster, .copied, .transcoded], [.poster, .shortened, .transcoded],
        [.copied, .shortened, .transcoded],
    ]

    /// The rungs that take all the time that a source needs.
    package static let full = Set(allCases.filter { $0.properties.cost == .full })
    /// The rungs that save time where it is short.
    package static let reduced = Set(allCases.filter { $0.properties.cost == .reduced })
}
