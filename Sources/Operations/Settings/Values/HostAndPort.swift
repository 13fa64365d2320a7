import Foundation

/// A host and a port, written `HOST:PORT`, with an IPv6 address in brackets.
package struct HostAndPort: Sendable, Equatable {
    package var host: String
    package var port: Int

    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), colon != text.startIndex
        else { return nil }
        host = text[..<colon].trimmingCharacters(in: ["[", "]"])
        self.port = port
    }
}
