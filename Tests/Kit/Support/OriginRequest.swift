/// A request that an `OriginServer` received.
package struct OriginRequest: Sendable, Equatable {
    package var method: String
    /// The path with the query, unchanged.
    package var path: String
    /// The header fields, by lower-case name. Of several with one name, the last.
    package var headers: [String: String]
    package var body: [UInt8] = []

    /// Parses the lines of a head, of which the first is the request line.
    init?(lines: [Substring]) {
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        method = String(words[0])
        path = String(words[1])
        headers = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
    }
}
