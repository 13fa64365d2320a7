import Foundation
import Glibc
import Testing

/// A connection to a server on this machine over which a test sends any bytes.
package final class RawConnection: Sendable {
    private let descriptor: Int32

    package init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        BlockingLimit.set(on: descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw HTTPClient.Failure(message: "connect: errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends the bytes. Returns `false` if the server has closed the connection.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends the bytes on another thread: the server may not read them, and a blocked send must not keep back its
    /// answer.
    package func sendAside(_ bytes: [UInt8], endsSending: Bool = false) {
        Thread.detachNewThread { [self] in
            send(bytes)
            if endsSending { endSending() }
        }
    }

    /// Sends the text a hundred times a second on another thread, until the server closes the connection.
    package func drip(_ text: String) {
        Thread.detachNewThread { [self] in while send(text) { usleep(10_000) } }
    }

    /// Closes the sending direction.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Returns everything that the server sends until it closes the connection, or until `isEnough`. Blocks its own
    /// thread.
    package func read(until isEnough: (@Sendable (String) -> Bool)? = nil) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: readNow(until: isEnough)) }
        }
    }

    private func readNow(until isEnough: ((String) -> Bool)?) -> String {
        var answer: [UInt8] = []
        while true {
            let block = nextBytes()
            if block == nil { Issue.record("the server neither sent more nor closed the connection in time") }
            guard let block, !block.isEmpty else { break }
            answer += block
            if let isEnough, isEnough(String(decoding: answer, as: UTF8.self)) { break }
        }
        return String(decoding: answer, as: UTF8.self)
    }

    /// Returns the next bytes, none after the last ones, or `nil` if nothing came in time. Blocks its own thread.
    func nextBytes() -> [UInt8]? {
        var block = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &block, block.count, 0)
        if count < 0, errno == EAGAIN { return nil }
        return Array(block[..<max(0, count)])
    }
}
