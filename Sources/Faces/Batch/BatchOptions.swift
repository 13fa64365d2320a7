package import Media

/// The options of a batch: its profile, its selection of files and its limits.
package struct BatchOptions: Sendable {
    package var selection: FileSelection
    package var profile: Profile
    /// A fingerprint of the profile's rules, independent of the profile's name.
    package var fingerprint: String
    /// The time limit for one file.
    package var timeLimit: Duration
    /// The number of files that are decoded at once.
    package var decoders: Int
    package var limits: MediaLimits
    /// The longer side in pixels of the report's pictures; `nil` makes none.
    package var thumbnailEdge: Int?
    /// The memory of all files that are read at once; `nil` for as much as there is.
    package var memory: SourceMemory?

    package init(
        selection: FileSelection,
        profile: Profile,
        fingerprint: String,
        timeLimit: Duration,
        decoders: Int,
        limits: MediaLimits = MediaLimits(),
        thumbnailEdge: Int? = nil,
        memory: SourceMemory? = nil,
    ) {
        self.selection = selection
        self.profile = profile
        self.fingerprint = fingerprint
        self.timeLimit = timeLimit
        self.decoders = decoders
        self.limits = limits
        self.thumbnailEdge = thumbnailEdge
        self.memory = memory
    }
}
