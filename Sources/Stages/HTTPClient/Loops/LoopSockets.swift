import CCurl
import Glibc
import Synchronization

/// The open sockets of one loop. Another thread may shut them all down, which ends every read in a library that loops over
/// what a peer sends.
final class LoopSockets: Sendable {
    private struct State {
        var open: Set<Int32> = []
        var isShut = false
    }

    private let state = Mutex(State())

    /// Opens a socket; `CURL_SOCKET_BAD` without descriptors, or when the sockets have been shut down.
    func open(_ family: Int32, _ type: Int32, _ number: Int32) -> curl_socket_t {
        state.withLock { state in
            guard !state.isShut else { return CURL_SOCKET_BAD }
            let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), number)
            if descriptor >= 0 { state.open.insert(descriptor) }
            return descriptor >= 0 ? descriptor : CURL_SOCKET_BAD
        }
    }

    /// Closes a socket. Under the lock, because its number may be that of another file at once.
    func close(_ descriptor: curl_socket_t) {
        state.withLock { state in
            state.open.remove(descriptor)
            _ = Glibc.close(descriptor)
        }
    }

    /// Shuts all sockets down, and opens no further ones.
    func shutDown() {
        state.withLock { state in
            state.isShut = true
            for descriptor in state.open { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
