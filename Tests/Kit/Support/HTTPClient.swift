import Foundation

/// A client that makes one HTTP/1.1 exchange over a new connection.
package enum HTTPClient {
    package struct Answer: Sendable {
        package var status: Int
        /// The header fields, by lower-case name.
        package var headers: [String: String]
        package var body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Failure: Error {
        package var message: String

        package init(message: String) { self.message = message }
    }

    /// Sends a request to a port of 127.0.0.1 and reads the whole answer. Blocks its own thread.
    ///
    /// Set `endsByLength` for a server that doesn't close its connection on request.
    package static func send(
        _ method: String = "GET",
        path: String,
        port: Int,
        host: String = "localhost",
        headers: [String: String] = [:],
        body: [UInt8] = [],
        endsByLength: Bool = false,
    ) async throws -> Answer {
        var head =
            "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let request = Array((head + "\r\n").utf8) + body
        return try parse(try await answer(to: request, port: port, endsByLength: endsByLength))
    }

    /// Sends requests over one connection before it reads an answer, and reads all answers. The last request ends the
    /// connection. A request is a method, a path and a body.
    package static func pipeline(
        _ requests: [(method: String, path: String, body: String)],
        port: Int,
    ) async throws -> [Answer] {
        var text = ""
        for (index, (method, path, body)) in requests.enumerated() {
            let connection = index == requests.count - 1 ? "close" : "keep-alive"
            text += "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: \(connection)\r\n"
            text += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        var rest = try await answer(to: Array(text.utf8), port: port)
        var answers: [Answer] = []
        while !rest.isEmpty {
            var answer = try parse(rest)
            guard let length = answer.headers["content-length"].flatMap({ Int($0) }), length <= answer.body.count else {
                throw Failure(message: "an answer without its length")
            }
            rest = Array(answer.body.dropFirst(length))
            answer.body.removeLast(rest.count)
            answers.append(answer)
        }
        return answers
    }

    private static func answer(
        to request: [UInt8],
        port: Int,
        endsByLength: Bool = false,
    ) async throws -> [UInt8] {
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try exchange(request, port: port, endsByLength) })
            }
        }
        return try result.get()
    }

    private static func exchange(_ request: [UInt8], port: Int, _ endsByLength: Bool) throws -> [UInt8] {
        let connection = try RawConnection(port: port)
        // A server that refuses a body may stop reading it, but still answers.
        connection.send(request)
        var answer: [UInt8] = []
        var end: Int?
        while answer.count < end ?? .max {
            guard let block = connection.nextBytes() else { throw Failure(message: "no answer in time") }
            guard !block.isEmpty else { return answer }
            answer += block
            if endsByLength { end = end ?? self.end(of: answer) }
        }
        return answer
    }

    /// Returns the head of an answer and its number of bytes, or `nil` if it is not complete. Only the head is text: a
    /// picture's bytes as text would take seconds.
    private static func head(of answer: [UInt8]) -> (text: String, byteCount: Int)? {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        return (String(decoding: answer[..<end.lowerBound], as: UTF8.self), end.upperBound)
    }

    /// Returns the length of an answer whose head is complete and gives the length of its body.
    private static func end(of answer: [UInt8]) -> Int? {
        guard let head = head(of: answer),
            let length = head.text.firstMatch(of: /(?i)\r\ncontent-length: *([0-9]+)/)
        else { return nil }
        return Int(length.1).map { head.byteCount + $0 }
    }

    private static func parse(_ bytes: [UInt8]) throws -> Answer {
        guard let head = head(of: bytes) else {
            throw Failure(message: "no answer: \(String(decoding: bytes, as: UTF8.self))")
        }
        let lines = head.text.components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(message: "no status: \(lines)")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...]
            headers[line[..<colon].lowercased()] = value.trimmingCharacters(in: .whitespaces)
        }
        return Answer(status: status, headers: headers, body: Array(bytes[head.byteCount...]))
    }
}

/// A server of a test, on a port of this machine.
package protocol LocalServer {
    var port: Int { get }
}

extension LocalServer {
    /// Gets what is at `path`.
    package func send(
        _ path: String,
        host: String = "localhost",
        headers: [String: String] = [:],
        endsByLength: Bool = false,
    ) async throws -> HTTPClient.Answer {
        try await HTTPClient.send(path: path, port: port, host: host, headers: headers, endsByLength: endsByLength)
    }

    /// Sends a request with a text as its body, or with bytes.
    package func send(
        _ method: String,
        _ path: String,
        _ text: String = "",
        host: String = "localhost",
        headers: [String: String] = [:],
        body: [UInt8]? = nil,
    ) async throws -> HTTPClient.Answer {
        try await HTTPClient.send(
            method,
            path: path,
            port: port,
            host: host,
            headers: headers,
            body: body ?? Array(text.utf8),
        )
    }
}
