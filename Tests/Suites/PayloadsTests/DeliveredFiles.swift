import Media
import Payloads
import Testing

extension DeliveredAttachment {
    /// Creates an attachment of which a test needs to know little. Without `byteCount`, the report does not tell it.
    init(
        identifier: String,
        url: String,
        shortURL: String? = nil,
        format: OutputFormat = .jpeg,
        byteCount: Int = 0,
        sha256: String? = nil,
        inline: InlinePicture? = nil,
    ) {
        self.init(
            identifier,
            in: StoredFile(identifier: identifier, url: url, shortURL: shortURL, sha256: sha256),
            RungReport(rung: .downscaled, format: format, byteCount: byteCount, inline: inline),
            from: "https://origin.example/a",
            SourceFacts(),
        )
    }
}

extension OutputFormat {
    /// Returns the format with that uniform type identifier.
    init(typeIdentifier: String) throws {
        self = try #require(Self.allCases.first { $0.typeIdentifier == typeIdentifier })
    }
}
