import Base
import Media

/// A misbehaviour, and its frequency.
package struct Fault: Sendable, Equatable {
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

    /// The text of the fault, such as `latency=200ms`, without its share.
    package let text: String
    /// The share of the requests with this fault: above 0, at most 1.
    package let share: Double
    /// Makes the behaviour for a request have this fault.
    let apply: Effect

    /// A change of the behaviour for one request, with random numbers for what is left to chance.
    typealias Effect = @Sendable (inout Behaviour, inout SplitMix) -> Void

    package static func == (one: Fault, other: Fault) -> Bool { one.text == other.text && one.share == other.share }
}

/// The error of a text that is not a fault. It says what to write instead.
package struct FaultSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}

// MARK: - Reading

extension Fault {
    /// A kind of fault: an example of its forms, its meaning, and its effect, which is `nil` for a text that is not valid.
    package struct Kind: Sendable {
        package let example: String
        package let meaning: String
        fileprivate let effect: @Sendable (String) -> Effect?

        fileprivate init<Value: Sendable>(
            _ example: String,
            _ meaning: String,
            _ parse: @escaping @Sendable (String) -> Value?,
            drawing apply: @escaping @Sendable (inout Behaviour, Value, inout SplitMix) -> Void,
        ) {
            (self.example, self.meaning) = (example, meaning)
            effect = { text in
                guard let value = parse(text) else { return nil }
                return { apply(&$0, value, &$1) }
            }
        }

        fileprivate init<Value: Sendable>(
            _ example: String,
            _ meaning: String,
            _ parse: @escaping @Sendable (String) -> Value?,
            _ apply: @escaping @Sendable (inout Behaviour, Value) -> Void,
        ) {
            self.init(example, meaning, parse) { behaviour, value, _ in apply(&behaviour, value) }
        }
    }

    /// All faults: the table of `attachd origin --help`.
    package static let kinds: [Kind] = [
        Kind("latency=200ms", "wait before the answer's head", DurationText.parse) { $0.latency = $1 },
        Kind("jitter=50ms", "up to that much more or less latency", DurationText.parse) {
            $0.jitter = $1 * Double.random(in: -1...1, using: &$2)
        },
        Kind("bandwidth=50kB/s", "send the body no faster", rate) { $0.bytesPerSecond = $1 },
        Kind("drip=1B/100ms", "send the body in pieces of this size, with this pause between them", drip) {
            $0.drip = $1
        },
        Kind("stall=10kB, stall=10kB/2s", "stop after this many bytes of the body: for good, or for a time", stall) {
            $0.stall = $1
        },
        Kind("truncate=10kB", "end the connection after this many bytes of the body", byteCount) { $0.truncation = $1 },
        Kind("reset=10kB", "reset the connection (RST) after this many bytes; reset=0B before the head", byteCount) {
            $0.reset = $1
        },
        Kind("length=+100, -100 or 5000", "send a false Content-Length", length) { $0.length = $1 },
        Kind("type=text/html", "send a false Content-Type; type=none sends none", plain) {
            $0.type = .some($1 == "none" ? nil : $1)
        },
        Kind("status=503", "answer with this status", status) { $0.status = $1 },
        Kind("redirect=3, loop or URL", "redirect this many times, endlessly, or elsewhere", redirection) {
            $0.redirection = $1
        },
        Kind(
            "ranges=off, lie or refuse",
            "ignore ranges, send other bytes than requested, or answer 416",
            RangeSupport.init(rawValue:)
        ) { $0.ranges = $1 },
        Kind("chunked=on", "send chunks, and no length", on) { $0.isChunked = $1 },
        Kind("raw=on", "send the file as the whole answer: it begins with a status line and header fields", on) {
            $0.isRaw = $1
        },
        Kind("hiccup=10s/2s", "answer no request for 2 s, starting 10 s after the first one", hiccup) {
            $0.hiccups.append($1)
        },
    ]

    /// Parses `KEY=VALUE`. The value may end with a share such as `@10%`.
    package init(key: String, value text: String) throws(FaultSyntaxError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        share = parts.count == 2 ? try Self.share(parts[1], of: key) : 1
        self.text = "\(key)=\(parts[0])"
        let kind = Self.kinds.first { $0.example.hasPrefix("\(key)=") }
        guard let effect = kind?.effect(parts[0]) else {
            let advice =
                kind.map { "write it as \($0.example)" }
                ?? "there is no such fault; `attachd origin --help` lists them"
            throw FaultSyntaxError(description: "\(self.text): \(advice).")
        }
        apply = effect
    }

    private static func share(_ text: String, of key: String) throws(FaultSyntaxError) -> Double {
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
            throw FaultSyntaxError(description: "\(key)=…@\(text): a share is above 0% and at most 100%, such as @10%.")
        }
        return percent / 100
    }

    private static func rate(_ value: String) -> Int? {
        guard value.hasSuffix("/s"), let count = ByteSizeText.parse(String(value.dropLast(2))) else { return nil }
        return count > 0 ? count : nil
    }

    private static func drip(_ value: String) -> Behaviour.Drip? {
        guard let (size, pause) = pair(value, byteCount, DurationText.parse), size > 0 else { return nil }
        return Behaviour.Drip(byteCount: size, pause: pause)
    }

    private static func stall(_ value: String) -> Behaviour.Stall? {
        if let size = byteCount(value) { return Behaviour.Stall(after: size) }
        return pair(value, byteCount, DurationText.parse).map { Behaviour.Stall(after: $0, duration: $1) }
    }

    /// Parses a number of bytes, with or without a unit.
    private static func byteCount(_ value: String) -> Int? {
        ByteSizeText.parse(value) ?? Int(value).flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func length(_ value: String) -> ClaimedLength? {
        Int(value).map { value.hasPrefix("+") || $0 < 0 ? .off(by: $0) : .exactly($0) }
    }

    private static func status(_ value: String) -> Int? { Int(value).flatMap { (200..<600).contains($0) ? $0 : nil } }

    private static func redirection(_ value: String) -> Redirection? {
        if value == "loop" { return .loop }
        if let times = Int(value) { return times >= 0 ? .times(times) : nil }
        let isTarget = value.hasPrefix("/") || value.hasPrefix("http://") || value.hasPrefix("https://")
        return isTarget ? plain(value).map { .to($0) } : nil
    }

    private static func on(_ value: String) -> Bool? { value == "on" ? true : nil }

    private static func hiccup(_ value: String) -> Range<Duration>? {
        pair(value, DurationText.parse, DurationText.parse).map { $0..<$0 + $1 }
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

    /// Returns the text if it cannot begin another header field.
    private static func plain(_ value: String) -> String? {
        !value.isEmpty && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F } ? value : nil
    }
}
