import Base
import Media

/// A kind of misbehaviour, and its frequency.
package struct Fault: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A delay before the head is sent.
        case latency(Duration)
        /// A random change of the latency, up to this much more or less.
        case jitter(Duration)
        /// The number of bytes of the body to send a second.
        case bandwidth(Int)
        /// A pause after this many bytes of the body: for a duration, or for as long as the client stays connected.
        case stall(after: Int, duration: Duration?)
        /// The number of bytes of the body to send at a time.
        case drip(byteCount: Int, every: Duration)
        /// The end of the connection after this many bytes of the body.
        case truncate(after: Int)
        /// A reset (RST) after this many bytes of the body; after 0, the head is not sent either.
        case reset(after: Int)
        /// The value of `Content-Length`.
        case length(ClaimedLength)
        /// The value of `Content-Type`; `nil` leaves it out.
        case type(String?)
        case redirect(Redirection)
        case status(Int)
        case ranges(RangeSupport)
        /// A body in chunks, without a `Content-Length`.
        case chunked
        /// The file as the whole answer, with its own status line and header fields; then the end of the connection.
        case raw
        /// A time in which no request is answered, counted from the server's first request.
        case hiccup(start: Duration, duration: Duration)
    }

    package enum ClaimedLength: Sendable, Equatable {
        case exactly(Int)
        /// This many more than there are, or fewer if negative.
        case off(by: Int)
    }

    package enum Redirection: Sendable, Equatable {
        /// A redirect to the same file, this many times.
        case times(Int)
        case loop
        case to(String)
    }

    package enum RangeSupport: String, Sendable, CaseIterable {
        case on
        /// The whole file, whatever range was requested.
        case off
        /// 206 with the requested `Content-Range`, but the bytes of another range.
        case lie
        /// 416 for every range.
        case refuse
    }

    package var kind: Kind
    /// The share of the requests with this fault: above 0, at most 1.
    package var share: Double

    package init(_ kind: Kind, share: Double = 1) {
        self.kind = kind
        self.share = share
    }
}

/// The error of a text that is not a fault. It says what to write instead.
package struct FaultSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}

// MARK: - Reading and writing

extension Fault {
    /// The forms of all faults with their meanings: the table of `attachd origin --help`.
    package static let table: [(example: String, meaning: String)] = [
        ("latency=200ms", "wait before the answer's head"),
        ("jitter=50ms", "up to that much more or less latency"),
        ("bandwidth=50kB/s", "send the body no faster"),
        ("drip=1B/100ms", "send the body in pieces of this size, with this pause between them"),
        ("stall=10kB, stall=10kB/2s", "stop after this many bytes of the body: for good, or for a time"),
        ("truncate=10kB", "end the connection after this many bytes of the body"),
        ("reset=10kB", "reset the connection (RST) after this many bytes; reset=0B before the head"),
        ("length=+100, -100 or 5000", "send a false Content-Length"),
        ("type=text/html", "send a false Content-Type; type=none sends none"),
        ("status=503", "answer with this status"),
        ("redirect=3, loop or URL", "redirect this many times, endlessly, or elsewhere"),
        ("ranges=off, lie or refuse", "ignore ranges, send other bytes than requested, or answer 416"),
        ("chunked=on", "send chunks, and no length"),
        ("raw=on", "send the file as the whole answer: it begins with a status line and header fields"),
        ("hiccup=10s/2s", "answer no request for 2 s, starting 10 s after the first one"),
        ("seed=7", "choose other requests for faults with a share"),
    ]

    /// Parses `KEY=VALUE`. The value may end with a share such as `@10%`.
    init(key: String, value text: String) throws(FaultSyntaxError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        share = parts.count == 2 ? try Self.share(parts[1], of: key) : 1
        let value = parts[0]
        guard let kind = Self.kind(key, value) else {
            let known = Self.table.filter { $0.example.hasPrefix("\(key)=") }.map(\.example)
            let advice =
                known.first.map { "write it as \($0)" } ?? "there is no such fault; `attachd origin --help` lists them"
            throw FaultSyntaxError(description: "\(key)=\(value): \(advice).")
        }
        self.kind = kind
    }

    private static func share(_ text: String, of key: String) throws(FaultSyntaxError) -> Double {
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
            throw FaultSyntaxError(description: "\(key)=…@\(text): a share is above 0% and at most 100%, such as @10%.")
        }
        return percent / 100
    }

    private static func kind(_ key: String, _ value: String) -> Kind? {
        switch key {
        case "latency": DurationText.parse(value).map { .latency($0) }
        case "jitter": DurationText.parse(value).map { .jitter($0) }
        case "bandwidth":
            value.hasSuffix("/s")
                ? ByteSizeText.parse(String(value.dropLast(2))).flatMap { $0 > 0 ? .bandwidth($0) : nil } : nil
        case "stall": stall(value)
        case "drip":
            pair(value, byteCount, DurationText.parse).flatMap { $0 > 0 ? .drip(byteCount: $0, every: $1) : nil }
        case "truncate": byteCount(value).map { .truncate(after: $0) }
        case "reset": byteCount(value).map { .reset(after: $0) }
        case "length": length(value)
        case "type": isPlain(value) ? .type(value == "none" ? nil : value) : nil
        case "status": Int(value).flatMap { (200..<600).contains($0) ? .status($0) : nil }
        case "redirect": redirection(value)
        case "ranges": RangeSupport(rawValue: value).map { .ranges($0) }
        case "chunked": value == "on" ? .chunked : nil
        case "raw": value == "on" ? .raw : nil
        case "hiccup": pair(value, DurationText.parse, DurationText.parse).map { .hiccup(start: $0, duration: $1) }
        default: nil
        }
    }

    private static func stall(_ value: String) -> Kind? {
        guard let (size, duration) = pair(value, byteCount, DurationText.parse) else {
            return byteCount(value).map { .stall(after: $0, duration: nil) }
        }
        return .stall(after: size, duration: duration)
    }

    /// Parses a number of bytes, with or without a unit.
    private static func byteCount(_ value: String) -> Int? {
        ByteSizeText.parse(value) ?? Int(value).flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func length(_ value: String) -> Kind? {
        guard let number = Int(value) else { return nil }
        return .length(value.hasPrefix("+") || number < 0 ? .off(by: number) : .exactly(number))
    }

    private static func redirection(_ value: String) -> Kind? {
        if value == "loop" { return .redirect(.loop) }
        if let times = Int(value) { return times >= 0 ? .redirect(.times(times)) : nil }
        let isTarget = value.hasPrefix("/") || value.hasPrefix("http://") || value.hasPrefix("https://")
        return isTarget && isPlain(value) ? .redirect(.to(value)) : nil
    }

    /// Parses the texts before and after the slash. Returns `nil` if one of them is missing or not valid.
    private static func pair<First, Second>(
        _ value: String,
        _ parseFirst: (String) -> First?,
        _ parseSecond: (String) -> Second?,
    ) -> (First, Second)? {
        let parts = value.split(separator: "/").map { String($0) }
        guard parts.count == 2, let first = parseFirst(parts[0]), let second = parseSecond(parts[1]) else {
            return nil
        }
        return (first, second)
    }

    /// Returns `true` if the text cannot begin another header field.
    private static func isPlain(_ value: String) -> Bool {
        !value.isEmpty && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
    }
}
