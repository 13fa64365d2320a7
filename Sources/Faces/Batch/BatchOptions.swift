package import Media

/// What a batch makes of which files.
package struct BatchOptions: Sendable {
    package var selection: FileSelection
    package var profile: Profile
    /// Tells this profile's rules from others', whatever they are called.
    package var fingerprint: String
    /// How long one file may take.
    package var timeLimit: Duration
    /// How many files are decoded at once.
    package var decoders: Int
    package var limits: MediaLimits

    package init(
        selection: FileSelection,
        profile: Profile,
        fingerprint: String,
        timeLimit: Duration,
        decoders: Int,
        limits: MediaLimits = MediaLimits(),
    ) {
        self.selection = selection
        self.profile = profile
        self.fingerprint = fingerprint
        self.timeLimit = timeLimit
        self.decoders = decoders
        self.limits = limits
    }
}
