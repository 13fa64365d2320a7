package import Media
import Payloads

/// The profile of one attachment, with the reason for the choice.
package struct ProfileChoice: Sendable, Equatable, CustomStringConvertible {
    /// The reason for a choice, in order of precedence.
    package enum Reason: Sendable, Equatable {
        /// The request names the profile.
        case request
        /// The attachment's platform needs it, in a message for several platforms.
        case platform
        /// The profile lists the notification's category.
        case category(String)
        /// No other rule chose a profile, so it is the default.
        case fallback
    }

    package var profile: Profile
    package var reason: Reason

    package var description: String {
        switch reason {
        case .request: "profile \(profile.name), as asked for"
        case .platform: "profile \(profile.name), which the attachment's platform needs"
        case .category(let category): "profile \(profile.name), for the category \"\(category)\""
        case .fallback: "profile \(profile.name), the default"
        }
    }
}

/// The known profiles, and the rules for choosing among them.
struct ProfileTable: Sendable {
    let profiles: [Profile]
    let fallback: Profile

    func profile(named name: String) throws(RequestError) -> Profile {
        guard let profile = profiles.first(where: { $0.name == name }) else {
            let known = profiles.map(\.name).joined(separator: ", ")
            throw .option("There is no profile \"\(name)\". Choose one of: \(known).")
        }
        return profile
    }

    /// Returns the pattern for the inline picture of a Live Activity, from the profile that the request names, or else from
    /// the default.
    func inlinePattern(asked: String?) throws(RequestError) -> JSONPattern? {
        let profile = if let asked { try profile(named: asked) } else { fallback }
        return profile.inlinePointer.flatMap { try? JSONPattern($0) }
    }

    /// Returns one choice for each attachment. `asked` is the profile that the request names.
    func choices(for attachments: [AttachmentRequest], asked: String?) throws(RequestError) -> [ProfileChoice] {
        let profile = if let asked { try profile(named: asked) } else { Profile?.none }
        return try attachments.map { attachment throws(RequestError) in
            var choice =
                if let profile { ProfileChoice(profile: profile, reason: .request) } else {
                    try choice(for: attachment)
                }
            if !attachment.isForOthersOnly { choice.profile.image = choice.profile.image.forIPhones }
            return choice
        }
    }

    private func choice(for attachment: AttachmentRequest) throws(RequestError) -> ProfileChoice {
        if let platform = attachment.profile {
            return ProfileChoice(profile: try profile(named: platform), reason: .platform)
        }
        if let category = attachment.category,
            let profile = profiles.first(where: { $0.categories.contains(category) })
        {
            return ProfileChoice(profile: profile, reason: .category(category))
        }
        return ProfileChoice(profile: fallback, reason: .fallback)
    }
}
