import Glibc

/// Absolute forms of paths. URLs, results and logs show them, and they mean the same wherever they are read.
package enum AbsolutePath {
    /// Returns `path`, seen from `folder` or the current folder, without `.`, `..` and empty names.
    ///
    /// The parent of a link is that of the folder that it leads to, as in every system call. Other links stay as they
    /// are.
    package static func of(_ path: String, in folder: String? = nil) -> String {
        let names = path.hasPrefix("/") ? path : "\(folder ?? resolved(".") ?? "")/\(path)"
        var parts: [Substring] = []
        for name in names.split(separator: "/") where name != "." {
            guard name == ".." else {
                parts.append(name)
                continue
            }
            let location = "/" + parts.joined(separator: "/")
            parts = (resolved(location) ?? location).split(separator: "/").dropLast()
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the absolute path of what a path leads to, without links. Returns `nil` if it leads to nothing.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
