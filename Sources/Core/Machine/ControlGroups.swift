/// The control groups of this process: the kernel's document "Control Group v2", and cgroups(7) for version 1.
package struct ControlGroups: Sendable {
    /// The groups of one controller, such as `memory`.
    package struct Controller: Sendable, Equatable {
        /// 1 or 2. The versions name their files differently.
        package let version: Int
        /// The folders of this process's group and of those around it, up to the root. The limits of all of them hold.
        package let folders: [String]
    }

    private let root: String
    /// The number, the controllers, and the path of each hierarchy.
    private let hierarchies: [[Substring]]

    /// Reads the groups of this process. `root` is put before all paths, for tests.
    package init(root: String = "") {
        self.root = root
        let text = SmallFile.text(at: root + "/proc/self/cgroup") ?? ""
        hierarchies = text.split(separator: "\n")
            .map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
            .filter { $0.count == 3 }
    }

    /// Returns the groups of the controller; `nil` if the system has none. A system with both versions has each controller
    /// in one of them.
    package func controller(_ name: String) -> Controller? {
        if let old = hierarchies.first(where: { $0[1].split(separator: ",").contains(Substring(name)) }) {
            return Controller(version: 1, folders: folders("/sys/fs/cgroup/\(name)", old[2]))
        }
        guard let unified = hierarchies.first(where: { $0[0] == "0" }) else { return nil }
        return Controller(version: 2, folders: folders("/sys/fs/cgroup", unified[2]))
    }

    /// Returns the folders from that of `path` up to the one that the hierarchy is mounted at.
    ///
    /// In a container, that may be the container's own group, and `path` one of the host that is not visible. Files that
    /// are not there set no limit.
    private func folders(_ mount: String, _ path: Substring) -> [String] {
        var names = path.split(separator: "/")
        var folders: [String] = []
        while !names.isEmpty {
            folders.append("\(root)\(mount)/\(names.joined(separator: "/"))")
            names.removeLast()
        }
        return folders + [root + mount]
    }
}
