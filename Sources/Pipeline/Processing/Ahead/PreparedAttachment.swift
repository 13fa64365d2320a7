package import Media
package import ServiceExtension
package import Timing

/// An attachment that was made ready ahead of time: what is known about its file and its source.
package struct PreparedAttachment: Sendable, Equatable {
    package var stored: StoredAttachment
    package var report: RungReport
    package var source: AttachmentSource
    /// The time until which notifications use it without asking the origin.
    package var until: UnixTime

    package init(stored: StoredAttachment, report: RungReport, source: AttachmentSource, until: UnixTime) {
        self.stored = stored
        self.report = report
        self.source = source
        self.until = until
    }

    /// The content for a notification that uses it.
    var content: AttachmentContent {
        var content = AttachmentContent()
        content.ready = SharedRung(report, stored: stored)
        content.source = source
        content.source.fetched = 0
        content.isComplete = true
        return content
    }
}

/// The name of a prepared attachment in a fleet: workers that give it the same name would make the same file.
package struct PreparedName: Sendable, Hashable {
    /// The identity of the source.
    package var source: String
    /// The wishes for the output, every one of them. A wish that this version of attachd does not know is missing, so
    /// the names of two versions differ where they would make different files.
    package var output: String

    package init(source: String, output: String) {
        self.source = source
        self.output = output
    }

    init(_ key: AttachmentKey) {
        self.init(source: key.source, output: String(reflecting: key.output))
    }
}
