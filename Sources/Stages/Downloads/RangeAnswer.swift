/// What the answer to a range request is.
enum RangeAnswer: Equatable {
    /// These bytes of this source.
    case part(Range<Int>, SourceVersion)
    /// All of the source: the origin doesn't answer ranges.
    case whole
    /// No range can be had of it: it is to be asked for without one.
    case refused
    /// The source isn't the one any more of which other parts were fetched.
    case changed
    case lie(Lie)

    /// How an answer contradicts its request, or itself.
    enum Lie: String {
        case otherPart = "sent another part of the source than it was asked for"
        case noPart = "doesn't say which part of the source it sent"
        case encoded = "sent an encoded answer (Content-Encoding), which nobody asked for"
        case transferCoding = "sent its answer in another transfer coding than chunked"
        case impossibleSize = "says that its source is larger than a tebibyte"
        case otherLength = "sent another number of bytes than it said"
        case noRanges = "answers ranges no longer"
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
        // It may be less than was asked for, never other bytes.
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
