import HTTPClient

/// The meaning of the answer to a range request.
enum RangeAnswer: Equatable {
    /// The answer has these bytes of this source.
    case part(Range<Int>, SourceVersion)
    /// The answer is the whole source: the origin does not answer ranges.
    case whole
    /// The origin refuses ranges of this source. It must be asked without one.
    case refused
    /// The source has changed since other parts of it were fetched.
    case changed
    case lie(Lie)

    /// A contradiction between an answer and its request, or within the answer.
    enum Lie: String {
        case otherPart = "sent a different part of the source than requested"
        case noPart = "does not say which part of the source it sent"
        case encoded = "sent an encoded answer (Content-Encoding) although none was requested"
        case impossibleSize = "declares a source larger than a tebibyte"
        case otherLength = "sent a different number of bytes than it declared"
        case noRanges = "no longer answers range requests"
    }

    /// Judges the answer to a request for `asked`. `version` is that of the parts that are there already, or `nil` for
    /// the first. If the first answer contradicts its request, its origin is asked without a range: some servers count to the
    /// size instead of the last byte, or leave the range out, and send the whole source rightly.
    init(_ head: AnswerHead, asked: Range<Int>, version: SourceVersion?) {
        switch (head.status, version) {
        case (206, _):
            self = Self.part(head, asked, version)
            if version == nil, case .lie = self { self = .refused }
        case (200, nil): self = .whole
        case (200, let version?): self = version.validator == nil ? .lie(.noRanges) : .changed
        case (416, nil): self = .refused
        case (416, _): self = .changed
        default: self = .lie(.noPart)
        }
    }

    private static func part(_ head: AnswerHead, _ asked: Range<Int>, _ version: SourceVersion?) -> RangeAnswer {
        guard !head.isEncoded else { return .lie(.encoded) }
        guard let claim = head.contentRange.flatMap(ContentRange.init) else { return .lie(.noPart) }
        // The answer may have fewer bytes than requested, never other ones.
        guard claim.range.lowerBound == asked.lowerBound, claim.range.upperBound <= asked.upperBound else {
            return .lie(.otherPart)
        }
        guard claim.size ?? 0 < HeaderNumber.largestSize else { return .lie(.impossibleSize) }
        guard head.contentLength ?? claim.range.count == claim.range.count else { return .lie(.otherLength) }
        guard let version else {
            guard let size = claim.size else { return .refused }
            return .part(
                claim.range,
                SourceVersion(size: size, entityTag: head.entityTag, validator: head.strongValidator),
            )
        }
        guard claim.size ?? version.size == version.size, head.entityTag ?? version.entityTag == version.entityTag
        else {
            return .changed
        }
        return .part(claim.range, version)
    }
}

/// The range that a partial answer declares: `bytes 0-99/1234` (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    var range: Range<Int>
    /// The size of the source in bytes, at most `HeaderNumber.largestSize`, or `nil` if the origin does not state it.
    var size: Int?

    /// Reads the header, or returns `nil` if it is not a range, or if the range lies beyond its source.
    init?(_ header: String) {
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < HeaderNumber.largestSize
        else { return nil }
        if parts[1] != "*" {
            guard let size = Self.number(parts[1]), last < size || size == HeaderNumber.largestSize else { return nil }
            self.size = size
        }
        range = first..<last + 1
    }

    private static func number(_ text: Substring) -> Int? {
        HeaderNumber.parse(text, limit: HeaderNumber.largestSize)
    }
}

// MARK: - Versions

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
