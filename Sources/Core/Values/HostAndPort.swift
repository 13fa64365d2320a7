/// A host and a port, written `HOST:PORT`, with an IPv6 address in brackets.
package struct HostAndPort: Sendable, Equatable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), colon != text.startIndex
        else { return nil }
        let host = text[..<colon]
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
        self.init(host: String(isInBrackets ? host.dropFirst().dropLast() : host), port: port)
    }

    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
