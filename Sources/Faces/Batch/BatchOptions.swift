import Glibc
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

// MARK: - The selection of files

/// A pattern for paths below a folder, as in `.gitignore`: `*`, `?` and `[a-z]` within a name, and `**` for any number
/// of folders. Without a slash it matches a name at any depth, with a slash the path from the folder on. Case is
/// ignored, because cameras write `.JPG`.
package struct Glob: Sendable {
    private let components: [String]
    private let isAnchored: Bool

    /// FNM_CASEFOLD of the C library, without FNM_PERIOD, so that patterns match hidden files.
    private static let options: Int32 = 1 << 4
    private static let anyFolders = "**"

    /// Creates a pattern. Returns `nil` for a pattern that cannot match.
    package init?(_ pattern: String) {
        components = pattern.split(separator: "/").map(String.init)
        isAnchored = pattern.dropLast().contains("/")
        guard !components.isEmpty else { return nil }
    }

    func matches(_ path: RelativePath) -> Bool {
        let names = path.components
        guard isAnchored else { return names.last.map { Self.matches(components[0], $0) } ?? false }
        return Self.match(components[...], names[...])
    }

    private static func match(_ patterns: ArraySlice<String>, _ names: ArraySlice<[UInt8]>) -> Bool {
        guard let pattern = patterns.first else { return names.isEmpty }
        if pattern == anyFolders {
            // The remaining patterns may begin at any depth.
            return (names.startIndex...names.endIndex).contains { match(patterns.dropFirst(), names[$0...]) }
        }
        guard let name = names.first, matches(pattern, name) else { return false }
        return match(patterns.dropFirst(), names.dropFirst())
    }

    private static func matches(_ pattern: String, _ name: [UInt8]) -> Bool {
        unsafe fnmatch(pattern, name.map { CChar(bitPattern: $0) } + [0], options) == 0
    }
}

/// The selection of files: files that match an including pattern, if there are any, and do not match an excluding one.
package struct FileSelection: Sendable {
    private let included: [Glob]
    private let excluded: [Glob]

    package init(include: [Glob] = [], exclude: [Glob] = []) {
        included = include
        excluded = exclude
    }

    func contains(file path: RelativePath) -> Bool {
        (included.isEmpty || included.contains { $0.matches(path) }) && !excludes(path)
    }

    /// Returns whether a folder and its content are excluded.
    func excludes(_ path: RelativePath) -> Bool { excluded.contains { $0.matches(path) } }
}
