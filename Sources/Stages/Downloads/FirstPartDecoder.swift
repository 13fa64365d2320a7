import HTTPClient

/// A reader of the first part of a `multipart/x-mixed-replace` body. Some cameras send such a body, which never ends, instead of one
/// picture. The part is not searched for further parts.
struct FirstPartDecoder: BodyDecoder {
    private enum Stage {
        /// Before the end of the part's head.
        case head
        /// In a part of known length, of which this many bytes are missing.
        case counted(Int)
        /// In a part that ends at the delimiter.
        case delimited
        case over
    }

    /// The most bytes up to the first part's own. Real heads are shorter than 200.
    private static let headByteLimit = 4096

    private var stage = Stage.head
    /// The line that begins each part. Some cameras announce another one than they send, so the first line decides.
    private var delimiter: [UInt8] = []
    private var input: ArraySlice<UInt8> = []

    static func isNeeded(for head: AnswerHead) -> Bool {
        head.contentType?.lowercased().hasPrefix("multipart/x-mixed-replace") == true
    }

    mutating func add(_ bytes: [UInt8]) { input = input + bytes }

    var hasSource: Bool { isWhole }

    var isWhole: Bool {
        switch stage {
        case .head, .counted: false
        case .delimited, .over: true
        }
    }

    mutating func step(isLast: Bool) -> BodyStep {
        switch stage {
        case .head: return readHead()
        case .counted(let count):
            let bytes = Array(input.prefix(min(count, BodyStep.byteLimit)))
            input = input.dropFirst(bytes.count)
            stage = count == bytes.count ? .over : .counted(count - bytes.count)
            return bytes.isEmpty && count > 0 ? .needsInput : .bytes(bytes)
        case .delimited: return readToDelimiter(isLast: isLast)
        case .over: return .ended
        }
    }

    /// Reads the head line by line, once all of it is there.
    private mutating func readHead() -> BodyStep {
        var lines: [Substring] = []
        var rest = input.prefix(Self.headByteLimit)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self).trimmed
            if lines.isEmpty, line.hasPrefix("--"), line.utf8.count > 2 {
                delimiter = [UInt8(ascii: "\n")] + rest[..<end].prefix { $0 != UInt8(ascii: "\r") }
            }
            if !delimiter.isEmpty { lines.append(line) }
            rest = rest[(end + 1)...]
            guard lines.count > 1, line.isEmpty else { continue }
            input = input[rest.startIndex...]
            stage = Self.length(lines.dropFirst()).map { .counted($0) } ?? .delimited
            return .bytes([])
        }
        delimiter = []
        return input.count < Self.headByteLimit ? .needsInput : .broken
    }

    private static func length(_ lines: some Sequence<Substring>) -> Int? {
        for line in lines {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2, sides[0].trimmed.lowercased() == "content-length" else { continue }
            return HeaderNumber.parse(sides[1].trimmed, limit: HeaderNumber.largestSize)
        }
        return nil
    }

    /// Takes the bytes before the delimiter. A beginning of one stays until what follows is known.
    private mutating func readToDelimiter(isLast: Bool) -> BodyStep {
        let piece = input.prefix(BodyStep.byteLimit)
        var start = piece.startIndex
        while let index = piece[start...].firstIndex(of: delimiter[0]) {
            let found = input[index...].prefix(delimiter.count)
            if found.elementsEqual(delimiter) {
                stage = .over
                return .bytes(Array(Self.withoutReturn(input[..<index])))
            }
            if !isLast, found.count < delimiter.count, delimiter.starts(with: found) {
                return taken(Self.withoutReturn(input[..<index]))
            }
            start = index + 1
        }
        return taken(isLast && piece.count == input.count ? piece : Self.withoutReturn(piece))
    }

    /// The bytes without a carriage return at their end, which may belong to the delimiter.
    private static func withoutReturn(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    }

    private mutating func taken(_ bytes: ArraySlice<UInt8>) -> BodyStep {
        input = input[bytes.endIndex...]
        return bytes.isEmpty ? .needsInput : .bytes(Array(bytes))
    }
}
