package import Media

/// Where one push service puts the attachments of a notification: data, not code.
package struct Dialect: Sendable, Equatable {
    /// Short and stable, such as `onesignal`; `--dialect` takes it.
    package var name: String
    /// The service, for a person.
    package var title: String
    /// Where the rules were read.
    package var source: String
    /// What a request to the service looks like. `nil`: the dialect is one of push payloads, and its patterns start at
    /// the payload's root wherever that stands.
    package var envelope: Envelope?
    /// In a payload the first path counts that leads to an attachment. In a service's request all of them do, for they
    /// are for different platforms.
    package var paths: [AttachmentPath]
    /// A text that takes the place of the alert's body when an attachment fails.
    package var fallbackBody: JSONPattern?

    package init(
        name: String,
        title: String,
        source: String,
        envelope: Envelope? = nil,
        paths: [AttachmentPath],
        fallbackBody: JSONPattern? = nil,
    ) {
        self.name = name
        self.title = title
        self.source = source
        self.envelope = envelope
        self.paths = paths
        self.fallbackBody = fallbackBody
    }
}

/// Where an attachment's URL stands, and what stands around it.
///
/// All patterns start at the same root. A wildcard of another pattern stands for what the URL's wildcard of the same
/// rank stands for: `/attachments/*/id` is the identifier of the same element as `/attachments/*/url`.
package struct AttachmentPath: Sendable, Equatable {
    package var url: JSONPattern
    /// Where the identifier may stand; the first that is not empty counts.
    package var identifiers: [JSONPattern] = []
    /// Whether the key or index that the URL's last wildcard stands for is the identifier, if no field has one.
    package var isIdentifiedByKey = false
    package var companions: [CompanionField] = []
    package var options = OptionFields()
    /// What must stand there too, and not be empty, or the service's extension attaches nothing.
    package var required: [JSONPattern] = []
    /// Whether the service has other uses for a text here that is no absolute URL, such as a file in the app's bundle.
    package var isAbsolute = false
    /// Where the array of ready attachments goes, if there is a place for it.
    package var list: JSONPattern? = "/attachments"
    /// Whether the service's extension takes everything after the last dot of the URL for the file's extension.
    package var endsInExtension = false
    /// The profile that the platform needs. `nil` leaves it to the request.
    package var profile: String?
    /// Another rule than that of the whole.
    package var gate: GateRule?
}

/// A field beside a URL that says something about the file, which has to be true of the new file too.
package struct CompanionField: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// `public.jpeg`
        case typeIdentifier
        /// `image/jpeg`
        case mimeType
        /// `jpg`
        case filenameExtension
        /// Any of the three, or `image`, `video`, `audio`: what the field has now decides.
        case sameForm
        /// The service's own words; a field with a uniform type identifier in it gets one again.
        case words([MediaFormat: String])
        /// A name whose extension is that of the file.
        case filename
        case byteCount
        /// The attachment's own identifier.
        case identifier
    }

    package var field: JSONPattern
    package var content: Content
    /// What a missing field means. It is added if that isn't true of the new file; without this it never is.
    package var implied: String?

    package init(_ field: JSONPattern, _ content: Content, implied: String? = nil) {
        self.field = field
        self.content = content
        self.implied = implied
    }
}
