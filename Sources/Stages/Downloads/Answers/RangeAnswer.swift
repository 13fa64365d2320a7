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
    /// the first.
    init(_ head: AnswerHead, asked: Range<Int>, version: SourceVersion?) {
        switch (head.status, version) {
        case (206, _): self = Self.part(head, asked, version)
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
