import Glibc

/// The limit on open files and connections of this process.
package enum OpenFiles {
    /// The limit that is enough for any sidecar.
    private static let ceiling: rlim_t = 65_536
    /// The descriptors of one notification: connection, source, outputs, and the decoder's sockets, with a reserve.
    private static let perNotification = 8
    private static let rest = 256

    /// Raises the limit as far as the host allows, and returns the number of simultaneous downloads that fit beside the
    /// notifications. A download takes a connection and, at worst, a file.
    static func downloads(beside notifications: Int) -> Int {
        let left = raise() - perNotification * notifications - rest
        return min(4096, max(64, left / 2))
    }

    /// Raises the limit as far as the host allows, and returns the new limit.
    @discardableResult
    package static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 0 }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, ceiling))
        unsafe setrlimit(resource, &limit)
        unsafe getrlimit(resource, &limit)
        return Int(min(limit.rlim_cur, ceiling))
    }
}
