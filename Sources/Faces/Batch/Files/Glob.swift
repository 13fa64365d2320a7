import Glibc

/// A pattern that paths below a folder match, as in `.gitignore`: `*` and `?` and `[a-z]` within a name, `**` for any
/// number of folders. Without a slash it matches a name at any depth, with one the path from the folder on. Upper and
/// lower case don't matter: cameras write `.JPG`.
package struct Glob: Sendable {
    private let components: [String]
    private let isAnchored: Bool

    /// FNM_CASEFOLD of the C library, and FNM_PERIOD left out: hidden files are files.
    private static let options: Int32 = 1 << 4
    private static let anyFolders = "**"

    /// `nil` for a pattern that nothing can match.
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
            // The rest may begin at any depth.
            return (names.startIndex...names.endIndex).contains { match(patterns.dropFirst(), names[$0...]) }
        }
        guard let name = names.first, matches(pattern, name) else { return false }
        return match(patterns.dropFirst(), names.dropFirst())
    }

    private static func matches(_ pattern: String, _ name: [UInt8]) -> Bool {
        unsafe fnmatch(pattern, name.cString, options) == 0
    }
}

/// Which files of a folder are worked on: those that some pattern includes, if there are any, and none excludes.
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

    /// Whether nothing below this folder is looked at.
    func excludes(_ path: RelativePath) -> Bool { excluded.contains { $0.matches(path) } }
}
