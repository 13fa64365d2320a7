/// A dialect of a user's own, as a configuration file has it: texts only.
package struct DialectDefinition: Sendable, Equatable {
    package var name: String
    /// JSON pointers to the URL, the first that leads to one counts. `*` stands for every element of an array or object.
    package var url: [String]
    /// A JSON pointer to the identifier. Its `*` stands for what that of the URL stands for.
    package var identifier: String?
    /// A JSON pointer to the field that says what type the file has.
    package var type: String?
    /// How the type is written.
    package var typeForm: TypeForm

    package enum TypeForm: String, Sendable, CaseIterable {
        /// The form that the field has already.
        case same
        /// `public.jpeg`
        case uti
        /// `image/jpeg`
        case mime
        /// `jpg`
        case `extension`
    }

    package init(
        name: String,
        url: [String],
        identifier: String? = nil,
        type: String? = nil,
        typeForm: TypeForm = .same,
    ) {
        self.name = name
        self.url = url
        self.identifier = identifier
        self.type = type
        self.typeForm = typeForm
    }

    /// The dialect that is defined, if it has a name and its pointers are some.
    package func dialect() throws(DialectDefinitionError) -> Dialect {
        guard !name.isBlank else { throw DialectDefinitionError(name: name, detail: "it has no name; give it one.") }
        guard !url.isEmpty else {
            throw DialectDefinitionError(
                name: name,
                detail: "it has no url; give it a JSON pointer such as /image/url."
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
                )
            }
            return Dialect(name: name, title: name, source: "the configuration", paths: paths)
        } catch {
            throw DialectDefinitionError(name: name, detail: "\(error)")
        }
    }
}

/// Why the definition of a dialect can't be used, and what to do.
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
