import Media
import Values

/// A rule that tells which part of a shared host's paths names the tenant. One tenant's failures do not count against
/// others.
package struct TenantRule: Sendable, Equatable {
    /// The pattern for the URL up to its query; `*` stands for any characters.
    package var match: String
    /// The number of the path's first segments that name the tenant; 0 for a host that is not shared.
    package var segmentCount: Int

    package init(match: String, segmentCount: Int) {
        self.match = match
        self.segmentCount = segmentCount
    }
}

extension OriginRule {
    /// Returns the origin of `url`. The first tenant rule that matches the URL counts.
    func origin(of url: DownloadURL) -> Origin {
        var origin = Origin(scheme: url.scheme, host: url.host.lowercased(), port: url.port)
        guard !tenants.isEmpty else { return origin }
        let text = url.text.prefix { $0 != "?" && $0 != "#" }
        if let rule = tenants.first(where: { Wildcard.matches(text.utf8, $0.match.utf8) }), rule.segmentCount > 0 {
            origin.tenant = Self.segments(of: text.dropFirst(url.scheme.count + "://".count)).prefix(rule.segmentCount)
                .joined(separator: "/")
        }
        return origin
    }

    /// Returns the path's segments as a server may understand them. A tenant has one name, however its URLs are
    /// written.
    private static func segments(of authorityAndPath: Substring) -> [String] {
        var segments: [String] = []
        let path = authorityAndPath.drop { $0 != "/" }
        for segment in decoded(path).lowercased().split(separator: "/") {
            switch segment {
            case ".": continue
            case "..": _ = segments.popLast()
            default: segments.append(String(segment))
            }
        }
        return segments
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
