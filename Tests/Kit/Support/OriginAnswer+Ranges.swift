extension OriginRequest {
    /// The single range that the request asks for.
    package var range: Range<Int>? {
        guard let header = headers["range"], header.hasPrefix("bytes=") else { return nil }
        let ends = header.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] + 1 : nil
    }
}

extension OriginAnswer {
    /// Returns the answer of an honest origin with ranges for a source of `bytes`, whose entity tag is `tag`.
    package static func ranges(
        of bytes: [UInt8],
        to request: OriginRequest,
        type: String? = nil,
        tag: String? = "\"one\"",
    ) -> OriginAnswer {
        var answer = body(bytes, type: type)
        answer.headers.append(("Accept-Ranges", "bytes"))
        if let tag { answer.headers.append(("ETag", tag)) }
        guard let range = request.range, request.headers["if-range"] ?? tag == tag else { return answer }
        guard range.lowerBound < bytes.count else {
            answer = status(416)
            answer.headers = [("Content-Range", "bytes */\(bytes.count)")]
            return answer
        }
        let part = range.clamped(to: 0..<bytes.count)
        answer.status = 206
        answer.body = Array(bytes[part])
        answer.setHeader("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)")
        return answer
    }

    /// Replaces a header, or adds it.
    package mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name == name }
        headers.append((name, value))
    }
}
