import Glibc
import Testing

@testable import HTTPClient

@Suite("Sockets of a loop", .timeLimit(.minutes(10)))
struct LoopSocketsTests {
    private let sockets = LoopSockets()
    private static let stream = Int32(SOCK_STREAM.rawValue)

    /// Returns two connected sockets.
    private func pair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(unsafe socketpair(AF_UNIX, Self.stream, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private func isOpen(_ end: Int32) -> Bool {
        var byte: UInt8 = 1
        return unsafe send(end, &byte, 1, Int32(MSG_NOSIGNAL)) == 1
    }

    @Test("a socket that the library closed by itself is not shut down under the next owner of its number")
    func reused() {
        let (mine, other) = pair()
        let descriptor = sockets.open(AF_INET, Self.stream, 0)
        // As libcurl closes a socket that never connected; then the number is somebody else's.
        #expect(dup2(mine, descriptor) == descriptor)
        sockets.shutDown()
        #expect(isOpen(descriptor) && isOpen(other))
        for end in [mine, other, descriptor] { close(end) }
    }

    /// Opens a socket of the loop, and connects it. Returns it with its peer.
    private func connected() -> (Int32, Int32) {
        let descriptor = sockets.open(AF_INET, Self.stream, 0)
        let listener = socket(AF_INET, Self.stream, 0)
        defer { close(listener) }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #expect(unsafe bind(listener, pointer, size) == 0 && listen(listener, 1) == 0)
                #expect(unsafe getsockname(listener, pointer, &size) == 0)
                #expect(unsafe connect(descriptor, pointer, size) == 0)
            }
        }
        return (descriptor, accept(listener, nil, nil))
    }

    @Test("an open socket is shut down, and none is opened afterwards")
    func shut() {
        let (descriptor, peer) = connected()
        #expect(isOpen(descriptor))
        sockets.shutDown()
        #expect(!isOpen(descriptor) && sockets.open(AF_INET, Self.stream, 0) < 0)
        sockets.close(descriptor)
        close(peer)
    }

    @Test("what the peer has sent before is gone with the connection: a library would read on for a second")
    func forgotten() {
        let (descriptor, peer) = connected()
        let sent = [UInt8](repeating: 1, count: 100_000)
        #expect(unsafe send(peer, sent, sent.count, 0) == sent.count)
        var byte: UInt8 = 0
        #expect(unsafe recv(descriptor, &byte, 1, 0) == 1)
        sockets.shutDown()
        #expect(unsafe recv(descriptor, &byte, 1, 0) <= 0)
        sockets.close(descriptor)
        close(peer)
    }
}
