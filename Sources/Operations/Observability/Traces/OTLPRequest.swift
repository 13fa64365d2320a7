import Payloads

/// An `ExportTraceServiceRequest` of OTLP 1.x: spans, and the process that they come from.
package struct OTLPRequest: Sendable {
    /// The attributes of the process, such as `service.name`.
    package var resource: [String: String]
    package var version: String
    package var spans: [FinishedSpan]

    package init(resource: [String: String], version: String, spans: [FinishedSpan]) {
        self.resource = resource
        self.version = version
        self.spans = spans
    }

    /// Returns the request in the format that the collector is to get.
    package func body(_ format: TraceSettings.Format) -> [UInt8] {
        switch format {
        case .json: OTLPField.json(message).compactBytes
        case .protobuf: OTLPField.protobuf(message)
        }
    }

    // The numbers and names are those of opentelemetry/proto/trace/v1/trace.proto.
    private var message: [OTLPField] {
        let attributes = resource.sorted { $0.key < $1.key }.map { [OTLPField].attribute($0.key, .text($0.value)) }
        let scope = [OTLPField(1, "name", .text("attachd")), OTLPField(2, "version", .text(version))]
        let spans: [OTLPField] = [
            OTLPField(1, "scope", .message(scope)), OTLPField(2, "spans", .list(spans.map(\.fields))),
        ]
        let resourceSpans: [OTLPField] = [
            OTLPField(1, "resource", .message([OTLPField(1, "attributes", .list(attributes))])),
            OTLPField(2, "scopeSpans", .list([spans])),
        ]
        return [OTLPField(1, "resourceSpans", .list([resourceSpans]))]
    }
}

extension FinishedSpan {
    fileprivate var fields: [OTLPField] {
        var fields = context.fields(from: 1)
        if let parent { fields.append(OTLPField(4, "parentSpanId", .identifier(parent.bytes))) }
        fields += [
            OTLPField(5, "name", .text(name)),
            OTLPField(6, "kind", .count(kind.rawValue)),
            OTLPField(7, "startTimeUnixNano", .time(start)),
            OTLPField(8, "endTimeUnixNano", .time(end)),
            OTLPField(9, "attributes", .list(record.attributes.fields)),
            OTLPField(10, "droppedAttributesCount", .count(UInt32(clamping: record.droppedAttributes))),
            OTLPField(11, "events", .list(record.events.map(\.fields))),
            OTLPField(12, "droppedEventsCount", .count(UInt32(clamping: record.droppedEvents))),
            OTLPField(13, "links", .list(record.links.map(\.fields))),
            OTLPField(14, "droppedLinksCount", .count(UInt32(clamping: record.droppedLinks))),
        ]
        if record.isFailed { fields.append(OTLPField(15, "status", .message(record.status))) }
        fields.append(OTLPField(16, "flags", .flags(context.flags)))
        return fields
    }
}

extension SpanContext {
    /// The first three fields of spans and links.
    fileprivate func fields(from number: Int) -> [OTLPField] {
        let identity = [
            OTLPField(number, "traceId", .identifier(trace.bytes)),
            OTLPField(number + 1, "spanId", .identifier(span.bytes)),
        ]
        return identity + (state.map { [OTLPField(number + 2, "traceState", .text($0))] } ?? [])
    }

    fileprivate var flags: UInt32 { isSampled ? 1 : 0 }
}

extension SpanRecord {
    /// The fields of the status of a failed span.
    fileprivate var status: [OTLPField] {
        (failure.map { [OTLPField(2, "message", .text($0))] } ?? []) + [OTLPField(3, "code", .count(2))]
    }
}

extension SpanRecord.Event {
    fileprivate var fields: [OTLPField] {
        [
            OTLPField(1, "timeUnixNano", .time(time)), OTLPField(2, "name", .text(name)),
            OTLPField(3, "attributes", .list(attributes.fields)),
        ]
    }
}

extension SpanRecord.Link {
    fileprivate var fields: [OTLPField] {
        context.fields(from: 1)
            + [OTLPField(4, "attributes", .list(attributes.fields)), OTLPField(6, "flags", .flags(context.flags))]
    }
}

extension SpanAttributes {
    fileprivate var fields: [[OTLPField]] {
        sorted { $0.key < $1.key }.map { [OTLPField].attribute($0.key, $0.value) }
    }
}

extension [OTLPField] {
    fileprivate static func attribute(_ key: String, _ value: SpanValue) -> [OTLPField] {
        let field =
            switch value {
            case .text(let text): OTLPField(1, "stringValue", .text(text))
            case .number(let number): OTLPField(3, "intValue", .integer(Int64(number)))
            }
        return [OTLPField(1, "key", .text(key)), OTLPField(2, "value", .message([field]))]
    }
}
