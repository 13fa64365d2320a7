import Base
import Observability
import Testing

@Suite("The context of a span in header fields (W3C Trace Context)")
struct SpanContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test("a valid field is read, and written again", arguments: [true, false])
    func valid(isSampled: Bool) throws {
        let parent = "00-\(Self.trace)-\(Self.span)-0\(isSampled ? 1 : 0)"
        let context = try #require(SpanContext(TraceContext(parent: parent, state: "vendor=1,other=2")))
        #expect("\(context.trace)" == Self.trace && "\(context.span)" == Self.span)
        #expect(context.isSampled == isSampled && context.state == "vendor=1,other=2")
        #expect(context.fields == TraceContext(parent: parent, state: "vendor=1,other=2"))
    }

    @Test("a later version may have further parts, and its unknown flags are ignored")
    func laterVersion() throws {
        let context = try #require(SpanContext(TraceContext(parent: "cc-\(Self.trace)-\(Self.span)-03-what-ever")))
        #expect(context.isSampled && context.fields.parent == "00-\(Self.trace)-\(Self.span)-01")
    }

    @Test(
        "an invalid field begins a new trace",
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-0g",
            "ff-\(trace)-\(span)-01", "00-\(trace)-\(span)-01-more", "0-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(String(repeating: "0", count: 32))-\(span)-01",
            "00-\(trace)-\(String(repeating: "0", count: 16))-01", "00-\(trace.dropLast())-\(span)-01",
            "00-+\(trace.dropFirst())-\(span)-01", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-é1",
        ]
    )
    func invalid(parent: String) { #expect(SpanContext(TraceContext(parent: parent)) == nil) }

    @Test(
        "a state that is too long or not printable is left out",
        arguments: [String(repeating: "a", count: 513), "a\nb", "ä=1"]
    )
    func state(text: String) throws {
        let context = try #require(SpanContext(TraceContext(parent: "00-\(Self.trace)-\(Self.span)-01", state: text)))
        #expect(context.state == nil)
    }
}
