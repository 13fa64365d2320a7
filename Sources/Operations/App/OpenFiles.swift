import Glibc

/// How many files and connections this process may have open.
package enum OpenFiles {
    /// More than that no sidecar needs.
    private static let ceiling: rlim_t = 65_536
    /// Connection, source, outputs and the decoder's sockets of one notification, with a reserve.
    private static let perNotification = 8
    private static let rest = 256

    /// Raises the limit as far as the host lets us, and gives how many downloads at once fit in beside the notifications:
    /// each takes a connection and, at worst, a file.
    static func downloads(beside notifications: Int) -> Int {
        let left = raise() - perNotification * notifications - rest
        return min(4096, max(64, left / 2))
    }

    /// Raises the limit as far as the host lets us, and gives what it is then.
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
