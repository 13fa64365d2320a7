import Foundation
import Synchronization

/// An HTTP/1.1 origin on loopback whose answers a test scripts.
///
///     let origin = try OriginServer { request in
///         request.path == "/a.png" ? .body(picture, type: "image/png") : .status(404)
///     }
///     defer { origin.stop() }
///     … origin.url("/a.png") …
///
/// Each connection has its own thread and is kept open between requests. An answer that stalls holds its connection
/// until `stop()`, or until the client closes it.
package final class OriginServer: Sendable {
    private struct State {
        var requests: [OriginRequest] = []
        /// What waits for that many requests.
        var waiters: [(count: Int, signal: Signal)] = []
        var connectionCount = 0
        /// The descriptors of open connections. A thread removes its descriptor here before it closes it.
        var open: Set<Int32> = []
        var isStopped = false
    }

    /// The address: `::1`, or one of 127.0.0.0/8. An address policy treats each as its own host.
    package let address: String
    package let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    package init(
        address: String = "127.0.0.1",
        answer: @escaping @Sendable (OriginRequest) -> OriginAnswer,
    ) throws {
        self.address = address
        (listener, port) = try Self.listen(on: address)
        Thread.detachNewThread { [self] in accept(answer) }
    }

    /// Returns the URL of `path`, which may have a query.
    package func url(_ path: String = "/") -> String {
        "http://\(address.contains(":") ? "[\(address)]" : address):\(port)\(path)"
    }

    /// The requests so far.
    package var requests: [OriginRequest] { state.withLock(\.requests) }

    /// Waits until `count` requests have arrived, or until the test is cancelled: by its time limit, if they never come.
    package func arrival(of count: Int) async {
        let signal = Signal()
        state.withLock { state in
            if state.requests.count >= count { signal.send() } else { state.waiters.append((count, signal)) }
        }
        await signal.wait()
    }

    /// The number of connections so far.
    package var connectionCount: Int { state.withLock(\.connectionCount) }

    /// Closes all connections and accepts no more.
    package func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
            shutdown(listener, Int32(SHUT_RDWR))
        }
    }

    private static func listen(on text: String) throws -> (descriptor: Int32, port: Int) {
        if text.contains(":") { return try listen(onV6: text) }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        unsafe inet_pton(AF_INET, text, &address.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(descriptor, pointer, size) == 0, Glibc.listen(descriptor, 512) == 0 else {
                    return Int32(-1)
                }
                return unsafe getsockname(descriptor, pointer, &size)
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func listen(onV6 text: String) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        unsafe inet_pton(AF_INET6, text, &address.sin6_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(descriptor, pointer, size) == 0, Glibc.listen(descriptor, 512) == 0 else {
                    return Int32(-1)
                }
                return unsafe getsockname(descriptor, pointer, &size)
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (descriptor, Int(UInt16(bigEndian: address.sin6_port)))
    }

    private func accept(_ answer: @escaping @Sendable (OriginRequest) -> OriginAnswer) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if state.withLock(\.isStopped) { break }
                // A connection that was given up before, or too few descriptors for a while.
                usleep(10_000)
                continue
            }
            let isOpen = state.withLock { state in
                guard !state.isStopped else { return false }
                state.open.insert(descriptor)
                state.connectionCount += 1
                return true
            }
            guard isOpen else {
                close(descriptor)
                break
            }
            Thread.detachNewThread { [self] in serve(OriginConnection(descriptor), answer) }
        }
        close(listener)
    }

    private func serve(_ connection: OriginConnection, _ answer: @Sendable (OriginRequest) -> OriginAnswer) {
        while let request = connection.readRequest() {
            state.withLock { state in
                state.requests.append(request)
                for waiter in state.waiters where waiter.count <= state.requests.count { waiter.signal.send() }
                state.waiters.removeAll { $0.count <= state.requests.count }
            }
            guard connection.send(answer(request), to: request) else { break }
        }
        state.withLock { _ = $0.open.remove(connection.descriptor) }
        close(connection.descriptor)
    }
}
