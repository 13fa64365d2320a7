import CCurl

/// What tells whether a source is still the one of which other parts were fetched.
struct SourceVersion: Sendable, Equatable {
    var size: Int
    var entityTag: String?
    /// For `If-Range`: a strong entity tag, else a date that is one; `nil` if the origin gave neither.
    var validator: String?
}

extension AnswerHead {
    /// Strong validators, which stand for these very bytes (RFC 9110, section 8.8). A date is one if the source has
    /// stayed as it is for a second since.
    var strongValidator: String? {
        if let entityTag, entityTag.hasPrefix("\"") { return entityTag }
        guard let lastModified, let date else { return nil }
        let (modified, sent) = unsafe (curl_getdate(lastModified, nil), curl_getdate(date, nil))
        return modified >= 0 && sent > modified ? lastModified : nil
    }

    /// What a whole answer says of parts: `nil` unless they can be asked for, and told from those of another version.
    var offeredVersion: SourceVersion? {
        guard acceptsByteRanges, !isEncoded, let contentLength, let strongValidator,
            contentLength < HeaderNumber.largestSize
        else { return nil }
        return SourceVersion(size: contentLength, entityTag: entityTag, validator: strongValidator)
    }
}
