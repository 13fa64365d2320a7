import CCurl
import Glibc
import Synchronization

/// The open sockets of one loop. Another thread may shut them all down, which ends every read in a library that loops over
/// what a peer sends.
///
/// libcurl 7.88 closes a socket that never connected by itself, without a call to `close(_:)`, and the kernel gives the number to
/// the next file of the process. So a socket is known by its inode too.
final class LoopSockets: Sendable {
    private struct State {
        /// The inodes of the sockets, by their descriptors. Some are closed already.
        var open: [Int32: ino_t] = [:]
        var isShut = false
        var peer: IPAddress?
    }

    private let state = Mutex(State())

    /// The address that the last socket was opened for.
    var peer: IPAddress? { state.withLock(\.peer) }

    /// Opens a socket; `CURL_SOCKET_BAD` without descriptors, or when the sockets have been shut down.
    func open(_ family: Int32, _ type: Int32, _ number: Int32, to peer: IPAddress? = nil) -> curl_socket_t {
        state.withLock { state in
            state.peer = peer
            guard !state.isShut else { return CURL_SOCKET_BAD }
            let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), number)
            guard descriptor >= 0 else { return CURL_SOCKET_BAD }
            guard let inode = Self.inode(of: descriptor) else {
                _ = Glibc.close(descriptor)
                return CURL_SOCKET_BAD
            }
            state.open[descriptor] = inode
            return descriptor
        }
    }

    /// Closes a socket. Holds the lock, because another file may get the same number immediately.
    func close(_ descriptor: curl_socket_t) {
        state.withLock { state in
            state.open[descriptor] = nil
            _ = Glibc.close(descriptor)
        }
    }

    /// Disconnects all sockets, and opens no further ones.
    ///
    /// A socket that was only shut down still gives what the peer has sent before: megabytes of tiny records, which take a
    /// library a second. TCP forgets them when the address is dissolved (connect(2), `AF_UNSPEC`).
    func shutDown() {
        state.withLock { state in
            state.isShut = true
            for (descriptor, inode) in state.open where Self.inode(of: descriptor) == inode {
                var nobody = sockaddr()
                nobody.sa_family = sa_family_t(AF_UNSPEC)
                unsafe connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
                // For kernels that do not dissolve it.
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    private static func inode(of descriptor: Int32) -> ino_t? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }
}
