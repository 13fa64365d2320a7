import Glibc
package import Names

extension IPAddress {
    /// Returns the present addresses of all network interfaces, or none if the kernel does not tell.
    package static func ofThisMachine() -> Set<IPAddress> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var addresses: Set<IPAddress> = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ifa_addr.flatMap({ unsafe IPAddress($0) }) {
                addresses.insert(address)
            }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }
}
