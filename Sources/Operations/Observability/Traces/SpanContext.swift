package import Base
import Files

/// The identity of a span, as it travels between processes in the header fields of W3C Trace Context.
package struct SpanContext: Sendable, Equatable {
    package var trace: TraceID
    package var span: SpanID
    /// A Boolean value that indicates whether the caller records the trace.
    package var isSampled: Bool
    /// The vendors' own values, passed on unchanged.
    package var state: String?

    /// The longest `tracestate` that is passed on (W3C Trace Context, section 3.3.1.5).
    private static let stateByteLimit = 512

    package init(trace: TraceID, span: SpanID, isSampled: Bool, state: String? = nil) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// Reads the header fields `traceparent` and `tracestate` (W3C Trace Context, section 3.2). Returns `nil` if
    /// `traceparent` is not valid: then the trace begins here. A later version may have further parts, which are
    /// ignored.
    package init?(_ fields: TraceContext) {
        let parts = fields.parent.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts.count == 4 || parts[0] != "00", parts[0] != "ff",
            Self.byte(parts[0]) != nil, let trace = TraceID(parts[1]), let span = SpanID(parts[2]),
            let flags = Self.byte(parts[3])
        else { return nil }
        let state = fields.state
        let isValid = state.map { $0.utf8.count <= Self.stateByteLimit && $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1, state: isValid == true ? state : nil)
    }

    /// The header fields `traceparent`, version 00, and `tracestate`.
    package var fields: TraceContext {
        TraceContext(parent: "00-\(trace)-\(span)-\(isSampled ? "01" : "00")", state: state)
    }

    /// The span of the current task's activity.
    package static var current: SpanContext? { RecordedSpan.current?.context }

    private static func byte(_ text: Substring) -> UInt8? {
        guard text.utf8.count == 2, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }) else { return nil }
        return UInt8(text, radix: 16)
    }
}

// MARK: - Identifiers

/// The identifier of a trace: 16 bytes, not all zero (W3C Trace Context, section 3.2.2.3).
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// Creates the identifier that `text` writes as 32 lower-case hexadecimal digits.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let high = UInt64(digits: text.prefix(16)),
            let low = UInt64(digits: text.suffix(16))
        else { return nil }
        self.init(high: high, low: low)
    }

    static var random: TraceID {
        while true {
            if let id = TraceID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) { return id }
        }
    }

    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
    package var description: String { Hexadecimal.text(bytes) }
}

/// The identifier of a span within its trace: 8 bytes, not all zero (W3C Trace Context, section 3.2.2.4).
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt64

    package init?(_ value: UInt64) {
        guard value != 0 else { return nil }
        self.value = value
    }

    /// Creates the identifier that `text` writes as 16 lower-case hexadecimal digits.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, let value = UInt64(digits: text) else { return nil }
        self.init(value)
    }

    static var random: SpanID {
        while true {
            if let id = SpanID(UInt64.random(in: 0 ... .max)) { return id }
        }
    }

    package var bytes: [UInt8] { value.bigEndianBytes }
    package var description: String { Hexadecimal.text(bytes) }
}

extension UInt64 {
    /// Creates the number that `digits` writes in lower-case hexadecimal. Refuses signs and upper case, which the
    /// standard library would take.
    init?(digits: some StringProtocol) {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        self.init(digits, radix: 16)
    }

    var bigEndianBytes: [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> UInt64($0)) }
    }
}
