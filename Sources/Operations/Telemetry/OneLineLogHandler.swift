package import Logging
import Media
import Values

/// A log handler that bounds the length of each text, puts it on one line, and passes the event to another handler.
package struct OneLineLogHandler: LogHandler {
    private var base: any LogHandler

    package init(_ base: any LogHandler) { self.base = base }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue.mapValues(Self.oneLine) }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue.map(Self.oneLine) }
    }

    package func log(event: LogEvent) {
        var event = event
        event.message = "\(event.message.description.onOneLine())"
        event.metadata = event.metadata?.mapValues(Self.oneLine)
        base.log(event: event)
    }

    private static func oneLine(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        .string("\(value)".onOneLine())
    }
}
