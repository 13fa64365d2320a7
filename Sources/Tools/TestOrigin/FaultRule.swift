import Glibc

/// The faults for paths that match a pattern, such as `*.mp4` or `/slow/*`. A `*` also matches slashes.
package struct FaultRule: Sendable, Equatable {
    package var pattern: String
    package var faults: Faults

    /// Parses `GLOB QUERY`, such as `*.mp4 bandwidth=50kB/s&latency=200ms`.
    package init(_ text: String) throws(FaultSyntaxError) {
        let parts = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard parts.count == 2 else {
            throw FaultSyntaxError(
                description: "\"\(text)\": a rule is a pattern and its faults, such as '*.mp4 latency=1s'."
            )
        }
        try self.init(pattern: String(parts[0]), query: String(parts[1]))
    }

    package init(pattern: String, query: String) throws(FaultSyntaxError) {
        self.pattern = pattern
        faults = try Faults(query: query.filter { !$0.isWhitespace })
    }

    package func matches(_ path: String) -> Bool { unsafe fnmatch(pattern, path, 0) == 0 }
}
