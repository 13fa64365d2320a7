import Foundation
import Glibc

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
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        BlockingLimit.set(on: connection)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(message: "connect: errno \(errno)") }
        var sent = 0
        while sent < request.count {
            let count = unsafe Glibc.send(
                connection,
                Array(request[sent...]),
                request.count - sent,
                Int32(MSG_NOSIGNAL)
            )
            // A server that refuses a body may stop reading it, but still answers.
            guard count > 0 else { break }
            sent += count
        }
        var answer: [UInt8] = []
        var end: Int?
        var block = [UInt8](repeating: 0, count: 65_536)
        while answer.count < end ?? .max {
            let count = unsafe recv(connection, &block, block.count, 0)
            if count < 0, errno == EAGAIN { throw Failure(message: "no answer in time") }
            guard count > 0 else { return answer }
            answer += block[..<count]
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
