import Media

extension CompanionField.Content {
    /// Returns the field's text for `attachment` where it was `old`, or `nil` if the field has no word for it.
    func text(for attachment: NotificationAttachment, replacing old: String) -> String? {
        let format = MediaFormat(typeIdentifier: attachment.type)
        return switch self {
        case .typeIdentifier: attachment.type
        case .mimeType: format?.mimeType
        case .filenameExtension: format?.filenameExtension
        case .sameForm: Self.form(of: old).text(for: attachment, replacing: old)
        case .words(let words):
            Self.isTypeIdentifier(old) ? attachment.type : format.flatMap { words[$0] }
        case .filename: format.map { Self.stem(of: old) + "." + $0.filenameExtension }
        case .byteCount: attachment.byteCount.map { String($0) }
        case .identifier: attachment.identifier
        }
    }

    private static func form(of text: String) -> Self {
        if text.contains("/") { return .mimeType }
        if isTypeIdentifier(text) { return .typeIdentifier }
        guard MediaFormat.Kind(rawValue: text) != nil else { return .filenameExtension }
        return .words(Dictionary(uniqueKeysWithValues: MediaFormat.allCases.map { ($0, $0.kind.rawValue) }))
    }

    private static func isTypeIdentifier(_ text: String) -> Bool { text.contains(".") && !text.contains("/") }

    private static func stem(of name: String) -> Substring {
        name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    }
}
