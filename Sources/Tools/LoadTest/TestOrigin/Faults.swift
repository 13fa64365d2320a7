package import Base
import FoundationEssentials
import Glibc
import Media
import Yams

/// The faults of one request, in the order in which they were written. Of one kind, the last one that occurs counts.
package struct Faults: Sendable, Equatable {
    package var all: [Fault] = []
    package var seed: UInt64?

    package init() {}

    /// Parses a query such as `latency=200ms&status=503@10%`. Ignores the parameter `n`, which only makes URLs
    /// distinct.
    package init(query: some StringProtocol) throws(FaultSyntaxError) {
        for parameter in query.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Keeps a `+`, which makes a length too long. Also keeps a lone percent sign, as in @10%.
            let key = String(parts[0])
            let value = parts.count == 2 ? Self.decoded(String(parts[1])) : ""
            switch key {
            case "n": continue
            case "seed":
                guard let seed = UInt64(value) else {
                    throw FaultSyntaxError(description: "seed=\(value): a seed is a whole number, such as 7.")
                }
                self.seed = seed
            default: all.append(try Fault(key: key, value: value))
            }
        }
    }

    /// Returns these faults followed by `others`.
    package func followed(by others: Faults) -> Faults {
        var faults = self
        faults.all += others.all
        faults.seed = others.seed ?? seed
        return faults
    }

    /// Decodes percent-encoded bytes. Keeps a percent sign without two hexadecimal digits.
    static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
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

// MARK: - Rules

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

/// Rules from a YAML or JSON file, which has a list `rules` of `path` and `faults`.
///
///     rules:
///       - path: "*.mp4"
///         faults: bandwidth=50kB/s & latency=200ms
package struct RuleFile {
    private struct Content: Decodable {
        struct Rule: Decodable {
            var path: String
            var faults: String
        }

        var rules: [Rule]
    }

    package let rules: [FaultRule]

    /// Reads the file. Throws `FaultSyntaxError` if it is not valid.
    package init(_ path: String) throws(FaultSyntaxError) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw FaultSyntaxError(
                description: "The file \(path) cannot be read. Check that it exists and is readable."
            )
        }
        let content: Content
        do {
            content = try YAMLDecoder().decode(Content.self, from: text)
        } catch {
            throw FaultSyntaxError(description: "\(path) is not a list `rules` of `path` and `faults`: \(error)")
        }
        var rules: [FaultRule] = []
        for rule in content.rules {
            do throws(FaultSyntaxError) {
                rules.append(try FaultRule(pattern: rule.path, query: rule.faults))
            } catch {
                throw FaultSyntaxError(description: "\(path): \(error)")
            }
        }
        self.rules = rules
    }
}

// MARK: - The behaviour for one request

/// The behaviour for one request, after the random choices.
package struct Behaviour: Sendable, Equatable {
    /// The delay before the head is sent.
    package var latency = Duration.zero
    /// The random change of the latency.
    package var jitter = Duration.zero
    /// The number of bytes of the body to send a second.
    package var bytesPerSecond: Int?
    package var drip: Drip?
    package var stall: Stall?
    /// The end of the connection after this many bytes of the body.
    package var truncation: Int?
    /// A reset (RST) after this many bytes of the body; after 0, the head is not sent either.
    package var reset: Int?
    /// The value of `Content-Length`.
    package var length: Fault.ClaimedLength?
    /// The content type. `.some(nil)` leaves the header field out.
    package var type: String??
    package var redirection: Fault.Redirection?
    package var status: Int?
    package var ranges = Fault.RangeSupport.on
    /// A body in chunks, without a `Content-Length`.
    package var isChunked = false
    /// The file as the whole answer, with its own status line and header fields; then the end of the connection.
    package var isRaw = false
    /// Times in which no request is answered, counted from the server's first request.
    package var hiccups: [Range<Duration>] = []

    package struct Drip: Sendable, Equatable {
        package var byteCount: Int
        package var pause: Duration

        package init(byteCount: Int, pause: Duration) { (self.byteCount, self.pause) = (byteCount, pause) }
    }

    package struct Stall: Sendable, Equatable {
        package var after: Int
        /// The length of the pause; `nil` for as long as the client stays connected.
        package var duration: Duration?

        package init(after: Int, duration: Duration? = nil) { (self.after, self.duration) = (after, duration) }
    }

    package init() {}

    /// Creates a behaviour. The same random numbers give the same behaviour.
    package init(_ faults: [Fault], using random: inout SplitMix) {
        for fault in faults {
            // Takes one random number for each fault, whether or not it occurs, so that adding a fault does not change
            // earlier ones.
            let chance = Double.random(in: 0..<1, using: &random)
            guard chance < fault.share else { continue }
            fault.apply(&self, &random)
        }
        latency = max(.zero, latency + jitter)
    }

    /// Returns the delay of a request that arrives `age` after the first one.
    package func delay(at age: Duration) -> Duration {
        let end = hiccups.filter { $0.contains(age) }.map(\.upperBound).max() ?? age
        return end - age + latency
    }
}
