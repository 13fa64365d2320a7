import Foundation

/// A connection of an `OriginServer`, served by its own thread.
struct OriginConnection {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads the next request. Returns `nil` when the client has gone.
    func readRequest() -> OriginRequest? {
        var head: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while !head.suffix(end.count).elementsEqual(end) {
            guard head.count < 100_000, let byte = readByte() else { return nil }
            head.append(byte)
        }
        var request = OriginRequest(lines: String(decoding: head, as: UTF8.self).split(separator: "\r\n"))
        let length = request?.headers["content-length"].flatMap { Int($0) } ?? 0
        while let count = request?.body.count, count < length {
            guard let byte = readByte() else { return nil }
            request?.body.append(byte)
        }
        return request
    }

    /// Sends an answer, and returns whether the connection can take another request.
    func send(_ answer: OriginAnswer, to request: OriginRequest) -> Bool {
        if answer.speaks {
            guard write(answer.head) else { return false }
            if request.method != "HEAD" {
                guard write(answer.pieces, pause: answer.pause) else { return false }
            }
        }
        switch answer.ending {
        case .keepAlive:
            if case .none = answer.framing { return false }
            return true
        case .close: return false
        case .hold:
            while readByte() != nil {}
            return false
        case .reset:
            // Closing with a linger time of zero sends RST instead of FIN.
            var linger = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            return false
        }
    }

    private func readByte() -> UInt8? {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, 0) == 1 ? byte : nil
    }

    private func write(_ pieces: [[UInt8]], pause: Duration?) -> Bool {
        for (index, piece) in pieces.enumerated() {
            if index > 0, let pause { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
            guard write(piece) else { return false }
        }
        return true
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
