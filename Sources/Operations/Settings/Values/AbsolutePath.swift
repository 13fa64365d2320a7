import Foundation

/// The absolute form of a path that a setting gives. URLs, results and logs show it, and it means the same wherever it is
/// read.
enum AbsolutePath {
    /// Returns `path`, seen from `folder`, without `.`, `..` and empty names.
    ///
    /// The parent of a link is that of the folder that it leads to, as in every system call. Other links stay as they
    /// are.
    static func of(_ path: String, in folder: String = FileManager.default.currentDirectoryPath) -> String {
        let names = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        var parts: [String] = []
        for name in names.split(separator: "/").map(String.init) where name != "." {
            guard name == ".." else {
                parts.append(name)
                continue
            }
            parts = Array(target(of: parts).dropLast())
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the names of the folder that a path leads to, or those of the path if it leads to none.
    private static func target(of parts: [String]) -> [String] {
        guard let resolved = unsafe realpath("/" + parts.joined(separator: "/"), nil) else { return parts }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved).split(separator: "/").map(String.init)
    }
}
