/// The status line and headers of an answer. All of them are claims.
struct AnswerHead: Sendable, Equatable {
    var status: Int
    var contentType: String?
    var contentLength: Int?
    var contentRange: String?
    var contentEncoding: String?
    var acceptRanges: String?
    var entityTag: String?
    var lastModified: String?
    var date: String?
    var cacheControl: String?
    var expires: String?
    var age: String?
    var vary: String?
    /// The time that the connection took, with name and TLS handshake; `nil` if an earlier one served again.
    var connectTime: Duration?

    init(status: Int) { self.status = status }

    /// A Boolean value that indicates whether the body's bytes are encoded.
    var isEncoded: Bool {
        contentEncoding?.split(separator: ",").contains { $0.filter { $0 != " " }.lowercased() != "identity" } ?? false
    }

    var acceptsByteRanges: Bool { acceptRanges?.lowercased() == "bytes" }

    /// A Boolean value that indicates whether the origin declares the source as video or sound, of which a clip may be
    /// enough.
    var declaresClip: Bool {
        let type = contentType?.lowercased() ?? ""
        return type.hasPrefix("video/") || type.hasPrefix("audio/")
    }
}
