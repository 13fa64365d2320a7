import Base
import Media
import Testing

@testable import Processing

@Suite("The work on an attachment, in every order of its events")
struct AttachmentWorkTests {
    typealias Event = WorkOfTwo.Event

    private struct Violation: Error, CustomStringConvertible {
        let rules: [String]
        let events: [Event]

        var description: String { "\(rules.joined(separator: ", ")): \(events)" }
    }

    @Test(
        "each caller is answered once, in time, never worse than before; nothing runs for nobody; nothing taken back is delivered",
        arguments: WorkOfTwo.Start.allCases
    )
    func orders(start: WorkOfTwo.Start) throws {
        var count = 0
        try explore(try WorkOfTwo(start), [], &count)
        #expect(count > 100)
    }

    @Test(
        "what was made ahead of time takes no caller when it is over, or must not be used: it cannot be made again here"
    )
    func prepared() {
        let report = RungReport(rung: .downscaled, format: .jpeg, byteCount: 2)
        let stored = StoredFile(identifier: "1", url: "file:///1", sha256: "00")
        let (end, later) = (Instant(sinceOrigin: .seconds(10)), Instant(sinceOrigin: .seconds(20)))
        let prepared = PreparedAttachment(
            stored: stored,
            report: report,
            source: SourceFacts(),
            until: UnixTime(seconds: 0)
        )
        var work = AttachmentWork(prepared: prepared, until: end)
        #expect(work.join(until: later, now: end, mayReuse: true) == nil)
        #expect(work.join(until: later, now: end - .seconds(1), mayReuse: false) == nil)
        #expect(work.join(until: later, now: end - .seconds(1), mayReuse: true) != nil)
    }

    /// Applies all orders of up to eight events.
    private func explore(_ work: WorkOfTwo, _ events: [Event], _ count: inout Int) throws {
        count += 1
        var ended = work
        ended.end()
        if !ended.violations.isEmpty { throw Violation(rules: ended.violations, events: events) }
        guard events.count < 8 else { return }
        for event in Event.allCases where !events.contains(event) {
            var next = work
            if next.apply(event) { try explore(next, events + [event], &count) }
        }
    }
}
