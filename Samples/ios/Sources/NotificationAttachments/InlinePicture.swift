import Foundation

/// A tiny picture inside the payload: a JPEG or PNG, or else a ThumbHash.
struct InlinePicture: Sendable, Equatable {
    let data: Data
    let type: MediaType

    /// Reads `{"thumbhash": BASE64, "type": MIME, "data": BASE64}`, of which `type` and `data` may be missing.
    init?(_ value: [String: Any]) {
        if let data = Self.bytes(value["data"]), let type = MediaType.named(value["type"] as? String),
            type.kind == .image
        {
            (self.data, self.type) = (data, type)
        } else if let picture = Self.bytes(value["thumbhash"]).flatMap(ThumbHash.init), let png = MediaType.named("png")
        {
            (data, type) = (picture.png, png)
        } else {
            return nil
        }
    }

    /// Reads Base64, also without its padding.
    private static func bytes(_ value: Any?) -> Data? {
        guard let text = value as? String, !text.isEmpty else { return nil }
        return Data(base64Encoded: text + String(repeating: "=", count: -text.utf8.count & 3))
    }
}
