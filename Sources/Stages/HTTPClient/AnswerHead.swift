/// The status line and headers of an answer. All of them are claims.
package struct AnswerHead: Sendable, Equatable {
    package var status: Int
    package var contentType: String?
    package var contentLength: Int?
    package var contentRange: String?
    package var contentEncoding: String?
    package var acceptRanges: String?
    package var entityTag: String?
    package var lastModified: String?
    package var date: String?
    package var cacheControl: String?
    package var expires: String?
    package var age: String?
    package var vary: String?
    /// The time that the connection took, with name and TLS handshake; `nil` if an earlier one served again.
    package var connectTime: Duration?

    package init(status: Int) { self.status = status }

    /// A Boolean value that indicates whether the status asks for the same with another URL (RFC 9110, section 15.4).
    package var isRedirect: Bool { Self.isRedirect(status) }

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// A Boolean value that indicates whether the body's bytes are encoded.
    package var isEncoded: Bool {
        contentEncoding?.split(separator: ",").contains { $0.filter { $0 != " " }.lowercased() != "identity" } ?? false
    }

    package var acceptsByteRanges: Bool { acceptRanges?.lowercased() == "bytes" }

    /// A Boolean value that indicates whether the origin declares the source as a picture, all of which is needed.
    package var declaresPicture: Bool { contentType?.lowercased().hasPrefix("image/") == true }

    /// A Boolean value that indicates whether the origin declares the source as video or sound, of which a clip may be
    /// enough.
    package var declaresClip: Bool {
        let type = contentType?.lowercased() ?? ""
        return type.hasPrefix("video/") || type.hasPrefix("audio/")
    }
}
