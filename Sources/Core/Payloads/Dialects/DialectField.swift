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
        case .identifier: "becomes the attachment's identifier"
        }
    }
}
