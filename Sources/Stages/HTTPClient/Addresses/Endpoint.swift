import CCurl
import Glibc
import Names

/// An address that libcurl wants to dial.
struct Endpoint {
    var address: IPAddress
    var port: Int

    /// Reads the address, or returns `nil` if it is neither IPv4 nor IPv6.
    init?(_ pointer: UnsafeMutablePointer<curl_sockaddr>) {
        // `addr` is declared as the short `sockaddr`; libcurl has the whole address there.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let start = unsafe UnsafeRawPointer(pointer).advanced(by: offset)
        switch unsafe pointer.pointee.family {
        case AF_INET:
            let v4 = unsafe start.loadUnaligned(as: sockaddr_in.self)
            (address, port) = (IPAddress(v4.sin_addr), Int(UInt16(bigEndian: v4.sin_port)))
        case AF_INET6:
            let v6 = unsafe start.loadUnaligned(as: sockaddr_in6.self)
            (address, port) = (IPAddress(v6.sin6_addr), Int(UInt16(bigEndian: v6.sin6_port)))
        default:
            return nil
        }
    }
}
