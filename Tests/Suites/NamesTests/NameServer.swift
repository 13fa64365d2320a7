import Base
import Foundation
import Glibc
import Synchronization

/// A DNS server on this machine, over UDP and TCP on one port, that answers as a test says.
final class NameServer: Sendable {
    struct Question: Hashable {
        var name: String
        /// 1 for A, 28 for AAAA.
        var type: UInt16
        var isOverTCP: Bool

        var isForIPv6: Bool { type == 28 }
    }

    enum Record {
        case address(String, life: UInt32 = 300)
        /// The canonical name of the name before it.
        case alias(String, life: UInt32 = 300)
    }

    enum Reply {
        case records([Record])
        /// The response code: 2 for SERVFAIL, 3 for NXDOMAIN, 5 for REFUSED.
        case code(UInt8)
        case silence
        case truncated
        /// An answer to another question's number.
        case otherNumber([Record])
        /// Bytes in place of a message.
        case bytes([UInt8])
        /// A right answer of which some bytes are others: each byte of the list selects whether and how.
        case damaged([UInt8], records: [Record])

        static let nothing = Reply.records([])
    }

    private struct Connection {
        let descriptor: Int32
        var received: [UInt8] = []
    }

    private struct State {
        var questions: [Question] = []
        var watchers = Waiters<@Sendable ([Question]) -> Bool, Void>()
        var isStopped = false
    }

    private let reply: @Sendable (Question) -> Reply
    private let datagrams: Int32
    private let listener: Int32
    private let state = Mutex(State())
    let port: Int

    /// The address for `NameResolver(servers:)`.
    var address: String { "127.0.0.1:\(port)" }

    init(_ reply: @escaping @Sendable (Question) -> Reply) throws {
        self.reply = reply
        (datagrams, listener, port) = try Self.sockets()
        Thread.detachNewThread { [self] in serve() }
    }

    /// Returns two sockets with the same port.
    private static func sockets() throws -> (datagrams: Int32, listener: Int32, port: Int) {
        for _ in 0..<20 {
            let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            if let port = bind(datagrams, 0), bind(listener, port) != nil, listen(listener, 64) == 0 {
                // Room for a burst of questions.
                var size: Int32 = 4 << 20
                unsafe setsockopt(datagrams, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                return (datagrams, listener, port)
            }
            close(datagrams)
            close(listener)
        }
        throw POSIXError(.EADDRINUSE)
    }

    private static func bind(_ descriptor: Int32, _ port: Int) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        return isBound ? Int(in_port_t(bigEndian: address.sin_port)) : nil
    }

    /// Ends the thread, which closes its sockets.
    func stop() { state.withLock { $0.isStopped = true } }

    var questions: [Question] { state.withLock(\.questions) }

    /// Waits until the questions so far satisfy a condition, or until the test is cancelled.
    func questions(_ isDue: @escaping @Sendable ([Question]) -> Bool) async {
        await withWaiter { waiter in
            state.withLock { state in
                if isDue(state.questions) { return () }
                state.watchers.add(waiter, isDue)
                return nil
            }
        } onCancel: { id in
            state.withLock { $0.watchers.remove(id) }?.waiter.resume()
        }
    }

    // MARK: - On the thread

    private func serve() {
        var connections: [Connection] = []
        while !state.withLock(\.isStopped) {
            var polled = ([datagrams, listener] + connections.map(\.descriptor)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard unsafe poll(&polled, nfds_t(polled.count), 50) > 0 else { continue }
            if polled[0].revents != 0 { answerDatagram() }
            for index in connections.indices.reversed() where polled[index + 2].revents != 0 {
                if !read(&connections[index]) { close(connections.remove(at: index).descriptor) }
            }
            if polled[1].revents != 0 {
                let descriptor = accept(listener, nil, nil)
                if descriptor >= 0 { connections.append(Connection(descriptor: descriptor)) }
            }
        }
        for descriptor in [datagrams, listener] + connections.map(\.descriptor) { close(descriptor) }
    }

    private func answerDatagram() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var sender = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &sender) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
                let count = unsafe recvfrom(datagrams, &bytes, bytes.count, Int32(MSG_DONTWAIT), sender, &size)
                guard count > 0, let message = answer(to: Array(bytes[..<count]), isOverTCP: false) else { return }
                unsafe sendto(datagrams, message, message.count, 0, sender, size)
            }
        }
    }

    /// Reads a part of a connection, and answers the messages that are complete. Returns `false` at its end.
    private func read(_ connection: inout Connection) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(connection.descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        connection.received += bytes[..<count]
        while connection.received.count >= 2 {
            let size = Int(connection.received[0]) << 8 | Int(connection.received[1])
            guard connection.received.count >= size + 2 else { break }
            let query = Array(connection.received[2..<size + 2])
            connection.received.removeFirst(size + 2)
            guard let message = answer(to: query, isOverTCP: true) else { continue }
            let sent = Self.number(UInt16(message.count)) + message
            unsafe send(connection.descriptor, sent, sent.count, Int32(MSG_NOSIGNAL))
        }
        return true
    }

    /// Returns the message that answers a query, or `nil` for silence.
    private func answer(to query: [UInt8], isOverTCP: Bool) -> [UInt8]? {
        guard query.count > 16 else { return nil }
        var labels: [String] = []
        var index = 12
        while index < query.count, query[index] != 0 {
            let end = index + 1 + Int(query[index])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[index + 1..<end], as: UTF8.self))
            index = end
        }
        guard index + 5 <= query.count else { return nil }
        let question = Question(
            name: labels.joined(separator: "."),
            type: UInt16(query[index + 1]) << 8 | UInt16(query[index + 2]),
            isOverTCP: isOverTCP,
        )
        defer { record(question) }
        let asked = Array(query[12..<index + 5])
        var header = Array(query[0..<2])
        switch reply(question) {
        case .silence: return nil
        case .bytes(let bytes): return bytes
        case .damaged(let noise, let records):
            var message = Self.message(header, flags: 0x8180, asked, records)
            // The number stays, so that the answer is read. One byte in eight changes.
            for (index, byte) in noise.enumerated() where byte & 7 == 0 && (2..<message.count).contains(index) {
                message[index] ^= byte >> 3
            }
            return message
        case .code(let code): return Self.message(header, flags: 0x8180 | UInt16(code), asked, [])
        case .truncated: return Self.message(header, flags: 0x8380, asked, [])
        case .records(let records): return Self.message(header, flags: 0x8180, asked, records)
        case .otherNumber(let records):
            header[0] ^= 0xFF
            return Self.message(header, flags: 0x8180, asked, records)
        }
    }

    private func record(_ question: Question) {
        let due = state.withLock { state in
            state.questions.append(question)
            return state.watchers.removeAll { $0(state.questions) }
        }
        for waiter in due { waiter.resume() }
    }

    private static func message(_ number: [UInt8], flags: UInt16, _ asked: [UInt8], _ records: [Record]) -> [UInt8] {
        var bytes = number + Self.number(flags) + Self.number(1) + Self.number(UInt16(records.count)) + [0, 0, 0, 0]
        bytes += asked
        // The name of the question, as a pointer to it.
        var owner: [UInt8] = [0xC0, 0x0C]
        for record in records {
            bytes += owner
            switch record {
            case .address(let text, let life):
                let address = addressBytes(text)
                bytes += Self.number(address.count == 4 ? 1 : 28) + Self.number(1)
                bytes += Self.number(UInt16(life >> 16)) + Self.number(UInt16(life & 0xFFFF))
                bytes += Self.number(UInt16(address.count)) + address
            case .alias(let name, let life):
                var target: [UInt8] = []
                for label in name.split(separator: ".") { target += [UInt8(label.utf8.count)] + Array(label.utf8) }
                target.append(0)
                bytes += Self.number(5) + Self.number(1)
                bytes += Self.number(UInt16(life >> 16)) + Self.number(UInt16(life & 0xFFFF))
                bytes += Self.number(UInt16(target.count)) + target
                owner = target
            }
        }
        return bytes
    }

    private static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    private static func addressBytes(_ text: String) -> [UInt8] {
        let isIPv6 = text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes)
        return bytes
    }
}
