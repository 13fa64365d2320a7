import HTTPClient

/// The identity of a version, which tells whether later parts belong to the same source.
struct SourceVersion: Sendable, Equatable {
    var size: Int
    var entityTag: String?
    /// The validator for `If-Range`: a strong entity tag, else a strong date; `nil` if the origin gave neither.
    var validator: String?
}

extension AnswerHead {
    /// The validator that stands for exactly these bytes, if it is strong (RFC 9110, section 8.8). A date is strong if
    /// the source has not changed for a second since.
    var strongValidator: String? {
        if let entityTag, entityTag.hasPrefix("\"") { return entityTag }
        guard let lastModified, let modified = HeaderDate.seconds(lastModified), let date,
            let sent = HeaderDate.seconds(date)
        else { return nil }
        return sent > modified ? lastModified : nil
    }

    /// The version that a whole answer offers for range requests, or `nil` if ranges are not available, or could not be
    /// told from those of another version.
    var offeredVersion: SourceVersion? {
        guard acceptsByteRanges, !isEncoded, let contentLength, let strongValidator,
            contentLength < HeaderNumber.largestSize
        else { return nil }
        return SourceVersion(size: contentLength, entityTag: entityTag, validator: strongValidator)
    }
}
