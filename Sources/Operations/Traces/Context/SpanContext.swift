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
    package init?(parent: String, state: String? = nil) {
        let parts = parent.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts.count == 4 || parts[0] != "00", parts[0] != "ff",
            Self.byte(parts[0]) != nil, let trace = TraceID(parts[1]), let span = SpanID(parts[2]),
            let flags = Self.byte(parts[3])
        else { return nil }
        let isValid = state.map { $0.utf8.count <= Self.stateByteLimit && $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1, state: isValid == true ? state : nil)
    }

    /// The value of the header field `traceparent`, version 00.
    package var parent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    private static func byte(_ text: Substring) -> UInt8? {
        guard text.utf8.count == 2, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }) else { return nil }
        return UInt8(text, radix: 16)
    }
}
