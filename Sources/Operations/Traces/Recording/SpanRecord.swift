package import Tracing
import Values

/// The content of a span: its attributes, events, links and status.
package struct SpanRecord: Sendable {
    package struct Event: Sendable {
        package var name: String
        /// Nanoseconds since 1970.
        package var time: UInt64
        package var attributes: SpanAttributes

        package init(name: String, time: UInt64, attributes: SpanAttributes) {
            self.name = name
            self.time = time
            self.attributes = attributes
        }
    }

    /// Another span that this one has to do with, also of another trace.
    package struct Link: Sendable {
        package var context: SpanContext
        package var attributes: SpanAttributes

        package init(context: SpanContext, attributes: SpanAttributes) {
            self.context = context
            self.attributes = attributes
        }
    }

    package var attributes: SpanAttributes = [:]
    package var events: [Event] = []
    package var links: [Link] = []
    package var status: SpanStatus?
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

    mutating func set(_ status: SpanStatus) {
        self.status = SpanStatus(code: status.code, message: status.message?.onOneLine(limit: Self.textLimit))
    }

    /// Returns the record with as many attributes as the limit allows. Called once, at the span's end: attributes are
    /// set one after the other, and each time all of them would be looked at.
    func limited() -> Self {
        var record = self
        (record.attributes, record.droppedAttributes) = Self.limited(attributes)
        return record
    }

    mutating func add(_ event: SpanEvent) {
        guard events.count < Self.countLimit else { return droppedEvents += 1 }
        let attributes = Self.limited(event.attributes).kept
        events.append(Event(name: event.name, time: event.nanosecondsSinceEpoch, attributes: attributes))
    }

    mutating func add(_ link: SpanLink) {
        guard let context = link.context.spanContext else { return }
        guard links.count < Self.countLimit else { return droppedLinks += 1 }
        links.append(Link(context: context, attributes: Self.limited(link.attributes).kept))
    }

    /// Returns as many of the attributes as the limit allows, with texts on one line, and the number left out.
    private static func limited(_ attributes: SpanAttributes) -> (kept: SpanAttributes, dropped: Int) {
        var (kept, dropped) = (SpanAttributes(), 0)
        attributes.forEach { key, value in
            guard kept.count < countLimit else { return dropped += 1 }
            if case .string(let text) = value {
                kept.set(key, value: .string(text.onOneLine(limit: textLimit)))
            } else {
                kept.set(key, value: value)
            }
        }
        return (kept, dropped)
    }
}
