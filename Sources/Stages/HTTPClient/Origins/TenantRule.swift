import Media
import Values

/// A rule that tells which part of a shared host's paths names the tenant. One tenant's failures do not count against
/// others.
package struct TenantRule: Sendable, Equatable {
    /// The pattern for the URL up to its query; `*` stands for any characters.
    package var match: String
    /// The number of the path's first segments that name the tenant; 0 if the rule doesn't say, so that only a known
    /// shared host has tenants.
    package var segmentCount: Int

    package init(match: String, segmentCount: Int) {
        self.match = match
        self.segmentCount = segmentCount
    }
}

extension OriginRule {
    /// Returns the origin of `url`. The first tenant rule that matches the URL counts; without one, a known shared host
    /// has customers.
    package func origin(of url: DownloadURL) -> Origin {
        var origin = Origin(scheme: url.scheme, host: url.host.lowercased(), port: url.port)
        // A tenant has one name, however its URLs are written.
        let segments = PathText(PathText(url.path).decoded.text.lowercased()).segments
        let text = url.text.prefix { $0 != "?" && $0 != "#" }
        if let rule = tenants.first(where: { Wildcard.matches(text.utf8, $0.match.utf8) }), rule.segmentCount > 0 {
            origin.tenant = segments.prefix(rule.segmentCount).joined(separator: "/")
        } else {
            origin.customer = SharedHost.customer(of: origin.host, segments)
        }
        return origin
    }
}
