import HTTPClient
import Names

/// A place of sources: the scheme, the host, the port, and the folder in which their paths lie.
package struct SourcePlace: Sendable, Equatable, CustomStringConvertible {
    /// The reason why a text is not a place, in words for a person.
    package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private let scheme: String
    private let host: String
    private let port: Int
    /// The names of the folders that all paths begin with.
    private let folders: [String]
    /// The pattern of the URLs: the place, and `*`.
    package let description: String

    /// Reads a URL that ends with a slash, such as `https://media.example/private/`, or with a slash and `*`.
    package init(_ text: String) throws(ParseError) {
        let place = text.hasSuffix("/*") ? String(text.dropLast()) : text
        let example = "Write it as https://media.example/private/, with a slash at the end."
        let isPlain = place.utf8.allSatisfy { !"*?#\\;".utf8.contains($0) }
        guard place.hasSuffix("/"), isPlain, let url = try? DownloadURL(place)
        else { throw ParseError(description: "This is not a place whose sources need a key. \(example)") }
        // A place that servers read in several ways would be another one for some of them.
        let folders = PathText(url.path).folders(below: []) ?? []
        guard !url.path.utf8.contains(UInt8(ascii: "%")), url.path == PathText.path(of: folders) else {
            throw ParseError(description: "The path has characters in a code or empty names. \(example)")
        }
        (scheme, host, port) = (url.scheme, url.host.lowercased(), url.port)
        self.folders = folders
        description = url.text + "*"
    }

    /// Returns whether every source of the place `other` is in this one.
    func covers(_ other: SourcePlace) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port && other.folders.starts(with: folders)
    }

    /// Returns whether `url` is in this place, however its server reads the path: `%2e%2e` never leads out of it.
    func contains(_ url: DownloadURL) -> Bool {
        guard url.scheme == scheme, url.port == port, isHost(url.host) else { return false }
        guard !folders.isEmpty else { return true }
        return PathText(url.path).isAlwaysBelow(folders)
    }

    private func isHost(_ other: String) -> Bool {
        if other.lowercased() == host { return true }
        guard let address = IPAddress(host) else { return false }
        return IPAddress(other) == address
    }
}
