/// What an answer's status line and headers say. Claims, all of them.
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

    init(status: Int) { self.status = status }

    /// Whether the body's bytes are not the source's own.
    var isEncoded: Bool {
        contentEncoding?.split(separator: ",").contains { $0.filter { $0 != " " }.lowercased() != "identity" } ?? false
    }

    var acceptsByteRanges: Bool { acceptRanges?.lowercased() == "bytes" }

    /// Whether it says that its source is video or sound, of which a clip may be all that is needed.
    var declaresClip: Bool {
        let type = contentType?.lowercased() ?? ""
        return type.hasPrefix("video/") || type.hasPrefix("audio/")
    }
}
