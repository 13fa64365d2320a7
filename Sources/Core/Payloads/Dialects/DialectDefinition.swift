/// A dialect from a configuration file, as plain text.
package struct DialectDefinition: Sendable, Equatable {
    package var name: String
    /// JSON pointers to the URL; the first that leads to one wins. `*` stands for every element of an array or object.
    /// Without a gate, all of them are used, as in a request to a service.
    package var url: [String]
    /// A JSON pointer to the identifier. Its `*` takes the value of the URL's `*`.
    package var identifier: String?
    /// A JSON pointer to the field with the file's type.
    package var type: String?
    /// The form in which the type is written.
    package var typeForm: TypeForm
    package var gate: Gate
    /// The name of the profile for notifications that do not name one.
    package var profile: String?
    /// A JSON pointer to the JSON string that the payload is inside of. The other pointers start at that payload. Without
    /// a URL, the built-in dialects find the attachments there.
    package var string: String?

    package enum Gate: String, Sendable, CaseIterable {
        /// The rule of a push payload: `aps` is there and mutable, and an alert shows.
        case push
        /// No rule: any JSON is rewritten, whether it has `aps` or not.
        case none
    }

    package enum TypeForm: String, Sendable, CaseIterable {
        /// The form that the field has now.
        case same
        /// A uniform type identifier, such as `public.jpeg`.
        case uti
        /// A media type, such as `image/jpeg`.
        case mime
        /// A file extension, such as `jpg`.
        case `extension`
    }

    package init(
        name: String,
        url: [String],
        identifier: String? = nil,
        type: String? = nil,
        typeForm: TypeForm = .same,
        gate: Gate = .push,
        profile: String? = nil,
        string: String? = nil,
    ) {
        self.name = name
        self.url = url
        self.identifier = identifier
        self.type = type
        self.typeForm = typeForm
        self.gate = gate
        self.profile = profile
        self.string = string
    }

    /// Returns the defined dialect. Throws if the name is missing or a pointer is not valid.
    package func dialect() throws(DialectDefinitionError) -> Dialect {
        guard !name.isBlank else { throw DialectDefinitionError(name: name, detail: "it has no name. Give it one.") }
        guard !url.isEmpty || string != nil && gate == .push && profile == nil else {
            throw DialectDefinitionError(
                name: name,
                detail: "it has no url. Give it a JSON pointer such as /image/url."
            )
        }
        do {
            let type = try type.map { try JSONPattern($0) }
            let identifier = try identifier.map { try JSONPattern($0) }
            let paths = try url.map { url in
                AttachmentPath(
                    url: try JSONPattern(url),
                    identifiers: identifier.map { [$0] } ?? [],
                    companions: type.map { [CompanionField($0, typeForm.content)] } ?? [],
                    // Only the sender knows what else may stand in its JSON.
                    list: gate == .none ? nil : "/attachments",
                    profile: profile,
                )
            }
            return Dialect(
                name: name,
                title: name,
                source: "the configuration",
                layout: gate == .none ? .anything : nil,
                strings: try string.map { [PayloadStrings(pattern: try JSONPattern($0))] } ?? [],
                paths: paths,
            )
        } catch {
            throw DialectDefinitionError(name: name, detail: "\(error)")
        }
    }
}

/// The error that a dialect's definition is not usable, with advice.
package struct DialectDefinitionError: Error, Sendable, Equatable, CustomStringConvertible {
    package var name: String
    package var detail: String

    package var description: String { "Dialect \"\(name)\": \(detail)" }
}

extension DialectDefinition.TypeForm {
    fileprivate var content: CompanionField.Content {
        switch self {
        case .same: .sameForm
        case .uti: .typeIdentifier
        case .mime: .mimeType
        case .extension: .filenameExtension
        }
    }
}
