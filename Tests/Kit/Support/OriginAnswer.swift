/// An answer of an `OriginServer`, good or bad.
package struct OriginAnswer: Sendable {
    /// The way in which the receiver learns where the body ends.
    package enum Framing: Sendable {
        case contentLength, chunked
        /// A `Content-Length` that may be false.
        case claimedLength(Int)
        /// The end of the connection.
        case none
    }

    /// The connection's fate after the body.
    package enum Ending: Sendable {
        case keepAlive, close
        /// The connection stays open and silent.
        case hold
        /// The connection is reset (RST).
        case reset
    }

    /// A Boolean value that is false if the server sends nothing at all.
    package var speaks = true
    /// The bytes to send in place of status line and headers.
    package var rawHead: [UInt8]?
    package var status = 200
    /// The header fields, in this order and unchecked: a value may be false.
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    package var framing = Framing.contentLength
    package var ending = Ending.keepAlive
    /// The size of the body's pieces in bytes; `nil` sends the body at once.
    package var pieceSize: Int?
    /// The pause between two pieces.
    package var pause: Duration?

    package init() {}

    /// Status line and headers.
    var head: [UInt8] {
        if let rawHead { return rawHead }
        var lines = ["HTTP/1.1 \(status) Scripted"]
        lines += headers.map { "\($0.name): \($0.value)" }
        switch framing {
        case .contentLength: lines.append("Content-Length: \(body.count)")
        case .claimedLength(let length): lines.append("Content-Length: \(length)")
        case .chunked: lines.append("Transfer-Encoding: chunked")
        case .none: lines.append("Connection: close")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The body as it is sent, piece by piece.
    var pieces: [[UInt8]] {
        let size = max(1, pieceSize ?? body.count)
        let pieces = stride(from: 0, to: body.count, by: size).map { Array(body[$0..<min($0 + size, body.count)]) }
        guard case .chunked = framing else { return pieces }
        let end = Array("\r\n".utf8)
        return pieces.map { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + end } + [Array("0\r\n\r\n".utf8)]
    }
}

extension OriginAnswer {
    /// Returns 200 with a body, and without `Content-Type` if `type` is `nil`.
    package static func body(_ bytes: [UInt8], type: String? = nil) -> OriginAnswer {
        var answer = OriginAnswer()
        answer.body = bytes
        if let type { answer.headers = [("Content-Type", type)] }
        return answer
    }

    package static func chunked(_ bytes: [UInt8], type: String? = nil, pieceSize: Int = 4096) -> OriginAnswer {
        var answer = body(bytes, type: type)
        answer.framing = .chunked
        answer.pieceSize = pieceSize
        return answer
    }

    package static var empty: OriginAnswer { body([]) }

    package static func status(_ status: Int, body bytes: [UInt8] = []) -> OriginAnswer {
        var answer = body(bytes)
        answer.status = status
        return answer
    }

    package static func redirect(to location: String, status: Int = 302, body: [UInt8] = []) -> OriginAnswer {
        var answer = OriginAnswer.status(status, body: body)
        answer.headers = [("Location", location)]
        return answer
    }

    /// Returns the first `count` of `bytes`, and then stalls until the server is stopped.
    package static func stall(after count: Int, of bytes: [UInt8], type: String? = nil) -> OriginAnswer {
        var answer = body(Array(bytes.prefix(count)), type: type)
        answer.framing = .claimedLength(bytes.count)
        answer.ending = .hold
        return answer
    }

    /// An answer that never comes.
    package static var silence: OriginAnswer {
        var answer = OriginAnswer()
        answer.speaks = false
        answer.ending = .hold
        return answer
    }

    /// Returns `bytes` one piece at a time.
    package static func drip(_ bytes: [UInt8], pieceSize: Int = 1, every pause: Duration) -> OriginAnswer {
        var answer = body(bytes)
        answer.pieceSize = pieceSize
        answer.pause = pause
        return answer
    }

    /// Returns `bytes` under a wrong `Content-Length`; then the connection is closed.
    package static func claiming(length: Int, body bytes: [UInt8]) -> OriginAnswer {
        var answer = body(bytes)
        answer.framing = .claimedLength(length)
        answer.ending = .close
        return answer
    }

    /// Returns the first `count` of `bytes`; then the connection is reset.
    package static func reset(after count: Int, of bytes: [UInt8]) -> OriginAnswer {
        var answer = body(Array(bytes.prefix(count)))
        answer.framing = .claimedLength(bytes.count)
        answer.ending = .reset
        return answer
    }

    /// Returns a body that is already encoded, by `gzip` for example.
    package static func encoded(_ bytes: [UInt8], as encoding: String, type: String? = nil) -> OriginAnswer {
        var answer = body(bytes, type: type)
        answer.headers.append(("Content-Encoding", encoding))
        return answer
    }
}
