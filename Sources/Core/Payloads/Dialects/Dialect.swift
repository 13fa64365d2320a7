package import Media

/// The rules for one push service: where a notification names its attachments. Data, not code.
package struct Dialect: Sendable, Equatable {
    /// The name that `--dialect` takes, short and stable, such as `onesignal`.
    package var name: String
    /// The service's name, for a person.
    package var title: String
    /// The source of the rules.
    package var source: String
    /// The form of a request to the service. `nil` is a dialect of push payloads: its patterns start at the payload's
    /// root, wherever that is.
    package var layout: RequestLayout?
    /// The strings of a body that hold JSON with a payload or request. The paths start inside; without paths, the other
    /// dialects find the attachments there.
    package var strings: [PayloadStrings] = []
    /// The paths to attachments. In a payload the first path that leads to an attachment wins. In a service's request
    /// all of them count, because they are for different platforms.
    package var paths: [AttachmentPath]
    /// A text that takes the place of the alert's body when an attachment fails.
    package var fallbackBody: JSONPattern?
}

/// The place of JSON strings that hold a payload, and the requests that are looked for inside.
package struct PayloadStrings: Sendable, Equatable {
    package var pattern: JSONPattern
    /// The dialects of requests that may be inside, beside a push payload. `nil` is all of them.
    package var requests: [Dialect]?
}

/// The patterns for an attachment's URL and the fields around it.
///
/// All patterns start at the same root. The wildcards of a pattern take the values of the URL's wildcards, in order:
/// `/attachments/*/id` is the identifier of the same element as `/attachments/*/url`.
package struct AttachmentPath: Sendable, Equatable {
    package var url: JSONPattern
    /// The patterns for the identifier. The first that is not empty wins.
    package var identifiers: [JSONPattern] = []
    /// A Boolean value that indicates whether the value of the URL's last wildcard, a key or an index, is the
    /// identifier if no field has one.
    package var isIdentifiedByKey = false
    package var companions: [CompanionField] = []
    package var options = OptionFields()
    /// The fields that must be there too and not be empty. Without them the service's extension attaches nothing.
    package var required: [JSONPattern] = []
    /// A Boolean value that indicates whether only an absolute URL counts. The service has other uses for other texts
    /// here, such as a file in the app's bundle.
    package var isAbsolute = false
    /// A Boolean value that indicates whether the place counts only in a push payload itself, because its name is too common.
    package var isBesideAPS = false
    /// The pattern for the array of ready attachments, or `nil` if the payload cannot hold one.
    package var list: JSONPattern? = "/attachments"
    /// A Boolean value that indicates whether the service's extension takes everything after the last dot of the URL
    /// for the file's extension.
    package var endsInExtension = false
    /// The profile that the platform needs, or the default of the user's dialect. `nil` leaves the choice to the request.
    package var profile: String?
    /// A Boolean value that indicates whether no iPhone, iPad or Watch reads the field, so that it may name a format that
    /// they don't show.
    package var isForOthersOnly = false
    /// The gate rule for this path, if it differs from the rule for the whole.
    package var gate: GateRule?
}

extension AttachmentPath {
    /// Returns a path to a picture that no Apple device gets. Where a service also takes the names of resources in the
    /// app, only an absolute URL counts.
    static func other(
        _ url: JSONPattern,
        list: JSONPattern? = nil,
        profile: String,
        gate: GateRule? = nil,
    ) -> AttachmentPath {
        AttachmentPath(
            url: url,
            isAbsolute: true,
            list: list,
            profile: profile,
            isForOthersOnly: true,
            gate: gate,
        )
    }
}

/// A field beside a URL that describes the file, and must be true of the new file too.
package struct CompanionField: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// A uniform type identifier, such as `public.jpeg`.
        case typeIdentifier
        /// A media type, such as `image/jpeg`.
        case mimeType
        /// A file extension, such as `jpg`.
        case filenameExtension
        /// One of the three forms above, or `image`, `video`, `audio`, as the field has now.
        case sameForm
        /// The service's own words. A field with a uniform type identifier keeps that form.
        case words([MediaFormat: String])
        /// A filename with the file's extension.
        case filename
        case byteCount
        /// The time until which the link is valid, in seconds since 1970.
        case expiry
        /// The attachment's own identifier.
        case identifier
    }

    package var field: JSONPattern
    package var content: Content
    /// The meaning of a missing field. The field is added if that meaning is not true of the new file; without an
    /// implied meaning it is never added.
    package var implied: String?
    /// The patterns for URLs that the field describes instead, where one of them has text.
    package var unless: [JSONPattern]

    package init(_ field: JSONPattern, _ content: Content, implied: String? = nil, unless: [JSONPattern] = []) {
        self.field = field
        self.content = content
        self.implied = implied
        self.unless = unless
    }
}

// MARK: - The table

extension Dialect {
    /// Every dialect that is built in. Dialects of payloads are ordered from the most specific key: a vendor's own
    /// name, then names that others might use too, then the default, then names that anybody has.
    package static let builtIn: [Dialect] = requests + payloads

    private static let requests: [Dialect] = [
        courier, huawei, customerIORequest, novu, brazeRequest, cleverTapRequest, pushwooshRequest, gotify,
        fcmMessage, amazonSNS, gorush, expoRequest, expoRequestList, oneSignalRequest, airshipRequest, emarsysRequest,
        fcmLegacy, fcmBareMessage, nodePushNotifications, homeAssistantRequest, ntfyRequest, localContent, apprise,
        barkRequest, declarativeWebPush, webPush, message,
    ]

    private static let payloads: [Dialect] = [
        wonderPush, airship, accengage, oneSignal, braze, batch, moEngage, webEngage, motiSig, iterable, customerIO,
        cleverTap, leanplum,
        salesforce, adobe, adobeCampaign, acoustic, klaviyo, pinpoint, mindbox, expo, homeAssistant, ntfy, firebase,
        pushwoosh, emarsys, sailthru, myAttachment, bark,
    ]
}

// MARK: - Places and fields, for people

/// A field beside an attachment's URL that matters for the attachment.
package struct DialectField: Sendable, Equatable {
    package var pattern: JSONPattern
    /// The use that attachd makes of the field, in words.
    package var use: String
}

extension Dialect {
    /// The places of URLs as text, with the profile that the platform needs. A place that ends in `...` is that of a
    /// payload in any dialect of payloads.
    package var places: [(path: String, profile: String?)] {
        let payloads: [(path: String, profile: String?)] = layout?.payloads.map { [("\($0)/...", nil)] } ?? []
        let own = paths.map { (path: $0.url.description, profile: $0.profile) } + payloads
        guard !strings.isEmpty else { return own }
        return strings.flatMap { string in
            let inside = own.isEmpty ? [("/...", nil)] + (string.requests ?? []).flatMap(\.places) : own
            return inside.map { ("\(string.pattern)\($0.path)", $0.profile) }
        }
    }

    /// The fields beside the URLs, each once for each use.
    package var fields: [DialectField] {
        var fields: [DialectField] = []
        func add(_ pattern: JSONPattern?, _ use: String) {
            guard let pattern else { return }
            let field = DialectField(pattern: pattern, use: use)
            if !fields.contains(field) { fields.append(field) }
        }
        for path in paths {
            for companion in path.companions {
                let isAdded = companion.implied != nil
                add(companion.field, companion.content.use + (isAdded ? "; added where it is missing" : ""))
            }
            for required in path.required { add(required, "required; without it nothing is attached") }
            add(path.options.typeHint, "the type hint; read")
            add(path.options.thumbnailHidden, "whether the thumbnail is hidden; read")
            add(path.options.clippingRectangle, "the part for the thumbnail; read, and set to all of a cropped picture")
            add(path.options.thumbnailTime, "the time of the thumbnail; read")
            add(path.options.thumbnailIdentifier, "the attachment that makes the thumbnail; read")
            for identifier in path.identifiers { add(identifier, "the identifier; read") }
        }
        add(fallbackBody, "the body of the alert when the attachment fails")
        return fields
    }
}

extension CompanionField.Content {
    fileprivate var use: String {
        switch self {
        case .typeIdentifier: "becomes the file's uniform type identifier"
        case .mimeType: "becomes the file's media type"
        case .filenameExtension: "becomes the file's extension"
        case .sameForm: "becomes the file's type, in the form that it has"
        case .words: "becomes the service's word for the file's type"
        case .filename: "gets the file's extension"
        case .byteCount: "becomes the file's size"
        case .expiry: "becomes the end of the link"
        case .identifier: "becomes the attachment's identifier"
        }
    }
}
