package import Base

/// The content of a span: its attributes, events, links and status.
package struct SpanRecord: Sendable {
    package struct Event: Sendable {
        package var name: String
        package var time: UnixTime
        package var attributes: SpanAttributes
    }

    /// Another span that this one has to do with, also of another trace.
    package struct Link: Sendable {
        package var context: SpanContext
        package var attributes: SpanAttributes
    }

    package var attributes: SpanAttributes = [:]
    package var events: [Event] = []
    package var links: [Link] = []
    package var isFailed = false
    /// The reason of a failure, if there is more to say than the attributes do.
    package var failure: String?
    /// The numbers of attributes, events and links that were left out because there were too many.
    package var droppedAttributes = 0
    package var droppedEvents = 0
    package var droppedLinks = 0

    /// The most attributes, events and links each. OpenTelemetry's default of 128 would let the many requests of one
    /// download fill the memory of a queue that waits for its collector.
    private static let countLimit = 32
    /// The longest text of an attribute, in bytes.
    private static let textLimit = 512

    package init() {}

    mutating func fail(_ message: String?) {
        isFailed = true
        failure = message?.onOneLine(limit: Self.textLimit)
    }

    /// Returns the record with as many attributes as the limit allows. Called once, at the span's end: attributes are
    /// set one after the other, and each time all of them would be looked at.
    func limited() -> Self {
        var record = self
        (record.attributes, record.droppedAttributes) = Self.limited(attributes)
        return record
    }

    mutating func add(_ event: Event) {
        guard events.count < Self.countLimit else { return droppedEvents += 1 }
        events.append(Event(name: event.name, time: event.time, attributes: Self.limited(event.attributes).kept))
    }

    mutating func add(_ link: Link) {
        guard links.count < Self.countLimit else { return droppedLinks += 1 }
        links.append(Link(context: link.context, attributes: Self.limited(link.attributes).kept))
    }

    /// Returns as many of the attributes as the limit allows, with texts on one line, and the number left out.
    private static func limited(_ attributes: SpanAttributes) -> (kept: SpanAttributes, dropped: Int) {
        var kept = SpanAttributes()
        for (key, value) in attributes.prefix(countLimit) {
            if case .text(let text) = value {
                kept[key] = .text(text.onOneLine(limit: textLimit))
            } else {
                kept[key] = value
            }
        }
        return (kept, attributes.count - kept.count)
    }
}

/// The attributes of a span, an event or a link, by name.
package typealias SpanAttributes = [String: SpanValue]

package enum SpanValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case text(String)
    case number(Int)

    package init(stringLiteral text: String) { self = .text(text) }

    package init(integerLiteral number: Int) { self = .number(number) }
}

/// The relation of a span to its parent and its children (OpenTelemetry, "SpanKind").
package enum SpanKind: UInt32, Sendable {
    case `internal` = 1
    case server = 2
    case client = 3
    case consumer = 5
}

// MARK: - Spans that have ended

/// A span that has ended, ready to be exported.
package struct FinishedSpan: Sendable {
    package var name: String
    package var context: SpanContext
    package var parent: SpanID?
    package var kind: SpanKind
    package var start: UnixTime
    package var end: UnixTime
    package var record: SpanRecord
}
