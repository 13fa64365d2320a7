package import Downloads
package import Settings

/// The version of this program and the commit of its sources.
package enum Version {
    package static let number = "0.2"

    /// The commit, or `nil` if the sources come from a working copy: only `git archive` writes it here (see
    /// `.gitattributes`), and `Scripts/release` builds from such an archive.
    package static let commit = commit(inArchive: "$Format:%H$")

    /// The text of `attachd --version`.
    package static let description = description(commit: commit)

    /// Returns the name by which servers know this program. Some sites ask for a version, and for somebody to turn to.
    static func userAgent(contact: String?) -> String {
        ["attachd/\(number)", contact.map { "(+\($0))" }].compactMap(\.self).joined(separator: " ")
    }

    static func description(commit: String?) -> String {
        ["attachd \(number)", commit.map { "(commit \($0))" }].compactMap(\.self).joined(separator: " ")
    }

    /// Returns the commit, which `git archive` writes in place of a format; `nil` in a working copy, which has the format.
    static func commit(inArchive text: String) -> String? {
        text.count >= 40 && text.allSatisfy(\.isHexDigit) ? text : nil
    }
}

extension Settings {
    package var downloads: DownloadSettings { downloads(userAgent: Version.userAgent(contact: self.contact)) }
}
