/// A request as an `OriginServer` got it.
package struct OriginRequest: Sendable, Equatable {
    package var method: String
    /// With the query, as it was sent.
    package var path: String
    /// Names in lower case. Of several with one name, the last.
    package var headers: [String: String]
    package var body: [UInt8] = []

    /// Reads the lines of a head: request line first.
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
