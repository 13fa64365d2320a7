import Base
import Media

/// The answer to one request: the bytes of its head, and the range of its body.
struct AnswerPlan: Sendable, Equatable {
    enum Body: Sendable, Equatable {
        case text([UInt8])
        /// A part of the file.
        case file(Range<Int>)
    }

    /// The properties of the request.
    struct Question: Sendable, Equatable {
        var method = "GET"
        var path: String
        var query = ""
        /// The value of the `Range` header field.
        var range: String?
    }

    /// The properties of the file, if there is one.
    struct Facts: Sendable, Equatable {
        var byteCount: Int
        var mimeType: String
        var tag: String
    }

    private(set) var status: Int
    private(set) var headers: [(name: String, value: String)]
    private(set) var body: Body
    private(set) var isChunked = false
    /// A Boolean value that indicates whether the body has its own head.
    private(set) var isRaw = false
    /// A Boolean value that indicates whether the connection stays open. It closes after a false length.
    private(set) var keepsAlive = true

    init(_ question: Question, _ facts: Facts?, _ behaviour: Behaviour) {
        if behaviour.isRaw, let facts {
            self.init(200, "")
            (body, isRaw, keepsAlive) = (.file(0..<facts.byteCount), true, false)
            return
        }
        if let status = behaviour.status {
            self.init(status, "Asked for by a fault.\n")
        } else if let target = Self.location(question, behaviour.redirection) {
            self.init(302, "", [("Location", target)])
        } else if let facts {
            self.init(question, facts, behaviour.ranges)
        } else {
            self.init(404, "There is no such file.\n")
        }
        if let type = behaviour.type {
            headers.removeAll { $0.name == "Content-Type" }
            if let type { headers.append(("Content-Type", type)) }
        }
        frame(behaviour)
        if question.method == "HEAD" || status == 204 || status == 304 {
            body = .text([])
            isChunked = false
        }
    }

    static func == (left: AnswerPlan, right: AnswerPlan) -> Bool {
        left.head == right.head && left.body == right.body && left.keepsAlive == right.keepsAlive
    }

    /// The status line and the header fields, with the empty line at the end.
    var head: [UInt8] {
        guard !isRaw else { return [] }
        let lines = ["HTTP/1.1 \(status) Test"] + headers.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    var bodyCount: Int {
        switch body {
        case .text(let bytes): bytes.count
        case .file(let range): range.count
        }
    }

    private init(_ status: Int, _ text: String, _ headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = headers + [("Content-Type", "text/plain; charset=utf-8")]
        body = .text(Array(text.utf8))
    }

    private init(_ question: Question, _ facts: Facts, _ support: Fault.RangeSupport) {
        let whole = 0..<facts.byteCount
        status = 200
        headers = [("Content-Type", facts.mimeType), ("ETag", facts.tag)]
        body = .file(whole)
        if support != .off { headers.append(("Accept-Ranges", "bytes")) }
        guard support != .off, let asked = question.range.flatMap({ Self.range($0, of: facts.byteCount) }) else {
            return
        }
        guard support != .refuse, !asked.isEmpty else {
            status = 416
            headers = [("Content-Range", "bytes */\(facts.byteCount)")]
            body = .text([])
            return
        }
        status = 206
        headers.append(("Content-Range", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(facts.byteCount)"))
        let room = facts.byteCount - asked.count
        let start = support == .lie && room > 0 ? (asked.lowerBound + (room + 1) / 2) % (room + 1) : asked.lowerBound
        body = .file(start..<start + asked.count)
    }

    private mutating func frame(_ behaviour: Behaviour) {
        headers.append(("Server", "attachd-origin"))
        if behaviour.isChunked {
            isChunked = true
            headers.append(("Transfer-Encoding", "chunked"))
            return
        }
        let claimed =
            switch behaviour.length {
            case .exactly(let count): count
            case .off(let difference): max(0, bodyCount.addingClamped(difference))
            case nil: bodyCount
            }
        keepsAlive = claimed == bodyCount
        headers.append(("Content-Length", "\(claimed)"))
        if !keepsAlive { headers.append(("Connection", "close")) }
    }

    /// Returns the range of a single `bytes=…`. Returns an empty range if it is outside of the file, and `nil` if it
    /// must be ignored.
    private static func range(_ text: String, of count: Int) -> Range<Int>? {
        guard text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where 0 <= first && first <= last:
            return (first..<last.addingClamped(1)).clamped(to: 0..<count)
        case (let first?, nil) where 0 <= first && ends[1].isEmpty:
            return (first..<max(first, count)).clamped(to: 0..<count)
        case (nil, let length?) where ends[0].isEmpty && length >= 0: return max(0, count - length)..<count
        default: return nil
        }
    }

    /// Returns the target of a redirect. A counted redirect leads to the same file, with one less in the query.
    private static func location(_ question: Question, _ redirection: Fault.Redirection?) -> String? {
        switch redirection {
        case nil, .times(0): return nil
        case .loop: return question.query.isEmpty ? question.path : "\(question.path)?\(question.query)"
        case .to(let target): return target
        case .times(let times):
            let others = question.query.split(separator: "&").filter { !$0.hasPrefix("redirect=") }
            return "\(question.path)?" + (others + ["redirect=\(times - 1)"]).joined(separator: "&")
        }
    }
}
