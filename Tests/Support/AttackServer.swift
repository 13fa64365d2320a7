import Foundation
import Synchronization

/// A server on loopback that floods each connection after the client's first bytes.
///
/// Each connection has its own thread. A flood is bounded in rate, in bytes and in time, and ends with this object.
package final class AttackServer: Sendable {
    package struct Attack: Sendable, CustomStringConvertible {
        package let description: String
        let scheme: String
        let opening: [UInt8]
        /// The bytes that follow again and again.
        let piece: [UInt8]
        let bytesPerSecond: Int
    }

    /// The connections, which outlive the server by a moment.
    private final class Connections: Sendable {
        /// The open descriptors; `nil` once the server has ended. A thread removes its descriptor before it closes it.
        private let open = Mutex<Set<Int32>?>([])
        let hasBegun = Signal()

        func add(_ descriptor: Int32) -> Bool {
            open.withLock { open in
                guard open != nil, open?.count ?? 0 < 512 else { return false }
                open?.insert(descriptor)
                return true
            }
        }

        func remove(_ descriptor: Int32) {
            open.withLock { _ = $0?.remove(descriptor) }
            close(descriptor)
        }

        func stop() {
            open.withLock { open in
                for descriptor in open ?? [] { shutdown(descriptor, Int32(SHUT_RDWR)) }
                open = nil
            }
        }
    }

    private let address: String
    package let port: Int
    private let attack: Attack
    private let listener: Int32
    private let connections = Connections()

    /// Starts the server on one of 127.0.0.0/8, each /24 of which is a site of its own, or on `::1`. Each connection gets
    /// at most `byteLimit` bytes, for at most `timeLimit`.
    package init(
        _ attack: Attack,
        address: String = "127.0.0.1",
        byteLimit: Int = 300_000_000,
        timeLimit: Duration = .seconds(10),
    ) throws {
        self.attack = attack
        self.address = address
        (listener, port) = try OriginServer.listen(on: address)
        Thread.detachNewThread { [listener, connections] in
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                guard connections.add(descriptor) else {
                    close(descriptor)
                    continue
                }
                Thread.detachNewThread {
                    Self.flood(descriptor, attack, byteLimit, timeLimit, begun: connections.hasBegun)
                    connections.remove(descriptor)
                }
            }
            close(listener)
        }
    }

    deinit {
        connections.stop()
        shutdown(listener, Int32(SHUT_RDWR))
    }

    package var url: String {
        "\(attack.scheme)://\(address.contains(":") ? "[\(address)]" : address):\(port)/it.jpg"
    }

    /// Waits until the flood has gone on for a fifth of a second, or has ended.
    package func waitUntilBegun() async { await connections.hasBegun.wait() }

    private static func flood(
        _ descriptor: Int32,
        _ attack: Attack,
        _ byteLimit: Int,
        _ timeLimit: Duration,
        begun: Signal
    ) {
        var first: UInt8 = 0
        let clock = ContinuousClock()
        let start = clock.now
        // A client that has closed its end with a full window leaves a send blocked for minutes.
        var blocked = timeval(tv_sec: 0, tv_usec: 100_000)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &blocked, socklen_t(MemoryLayout<timeval>.size))
        let goesOn = {
            if clock.now - start > .milliseconds(200) { begun.send() }
            return clock.now - start < timeLimit
        }
        guard unsafe recv(descriptor, &first, 1, 0) == 1, send(attack.opening, to: descriptor, while: goesOn) else {
            return
        }
        // A client may end a flood at once.
        defer { begun.send() }
        var count = 0
        while count < byteLimit, goesOn() {
            let due = Duration.seconds(Double(count) / Double(attack.bytesPerSecond)) - (clock.now - start)
            if due > .zero { Thread.sleep(forTimeInterval: min(due, timeLimit) / .seconds(1)) }
            guard send(attack.piece, to: descriptor, while: goesOn) else { return }
            count += attack.piece.count
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32, while goesOn: () -> Bool) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN, goesOn() { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

extension AttackServer.Attack {
    private init(
        _ description: String,
        _ opening: String,
        _ piece: String,
        times: Int = 1,
        rate: Int,
        scheme: String = "http",
    ) {
        self.description = description
        self.scheme = scheme
        self.opening = Array(opening.utf8)
        self.piece = Array(repeatElement(Array(piece.utf8), count: times).joined())
        bytesPerSecond = rate
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// TLS 1.2 records that each ask the client to begin the handshake that it has begun (RFC 5246 §7.4.1.1).
    /// They come faster than OpenSSL reads them.
    package static let helloRequests = Self(
        "HelloRequests",
        "",
        "\u{16}\u{3}\u{3}\0\u{4}\0\0\0\0",
        times: 1000,
        rate: 25_000_000,
        scheme: "https",
    )
    package static let oneByteChunks = Self("chunks of one byte", chunked, "1\r\na\r\n", times: 1000, rate: 3_000_000)
    /// Nearly all of the promised bytes at once, so that the end seems near.
    package static let promisedEnd = Self(
        "a promised end",
        "HTTP/1.1 200 OK\r\nContent-Length: 2100\r\n\r\n" + String(repeating: "a", count: 2000),
        "a",
        rate: 2,
    )
    package static let interimAnswers = Self(
        "interim answers",
        "",
        "HTTP/1.1 100 Continue\r\n\r\n",
        times: 500,
        rate: 2_500_000,
    )
    package static let smallHeaders = Self(
        "small header fields",
        "HTTP/1.1 200 OK\r\n",
        "A:\r\n",
        times: 1000,
        rate: 2_500_000,
    )
    package static let drippingHead = Self("a dripping head", "HTTP/1.1 200 OK\r\nX: ", "a", rate: 1)
    package static let trailers = Self("trailers", chunked + "0\r\n", "A:\r\n", times: 1000, rate: 2_500_000)
}
