package import Media

/// A service's own word for a format.
package struct TypeWord: Sendable, Equatable {
    package var format: MediaFormat
    package var word: String

    package init(_ format: MediaFormat, _ word: String) {
        self.format = format
        self.word = word
    }
}

extension CompanionField.Content {
    /// What the field has to say of `attachment` where it said `old`; `nil` if there is no word for it.
    func text(for attachment: NotificationAttachment, replacing old: String) -> String? {
        let format = MediaFormat(typeIdentifier: attachment.type)
        return switch self {
        case .typeIdentifier: attachment.type
        case .mimeType: format?.mimeType
        case .filenameExtension: format?.filenameExtension
        case .sameForm: Self.form(of: old).text(for: attachment, replacing: old)
        case .words(let words):
            old.contains(".") ? attachment.type : words.first { $0.format == format }?.word
        case .filename: format.map { Self.stem(of: old) + "." + $0.filenameExtension }
        case .byteCount: attachment.byteCount.map { String($0) }
        }
    }

    private static func form(of text: String) -> Self {
        if text.contains("/") { return .mimeType }
        if text.contains(".") { return .typeIdentifier }
        if MediaFormat.Kind(rawValue: text) != nil {
            return .words(MediaFormat.allCases.map { TypeWord($0, $0.kind.rawValue) })
        }
        return .filenameExtension
    }

    private static func stem(of name: String) -> Substring {
        name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    }
}
