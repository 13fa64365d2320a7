import Glibc

/// A group of the system.
package struct SystemGroup: Sendable, Equatable {
    package let name: String
    let id: gid_t

    /// Finds a group by its name. Returns `nil` if the system has no such group.
    package init?(named name: String) {
        guard let entry = unsafe getgrnam(name) else { return nil }
        self.name = name
        id = unsafe entry.pointee.gr_gid
    }
}

extension Directory {
    /// Lets the group enter this folder, without reading its names or anything else.
    package func admit(_ group: SystemGroup) throws(FileError) { try share(descriptor, path, group, mode: 0o710) }

    /// Lets the group read this folder and the files in it that `wanted` names.
    package func share(with group: SystemGroup, files wanted: (String) -> Bool) throws(FileError) {
        try share(descriptor, path, group, mode: 0o750)
        for name in names where wanted(name) {
            guard let (file, status) = try openFile(name.utf8) else { continue }
            defer { close(file) }
            // Most files are as the last start left them.
            if status.st_gid != group.id || status.st_mode & 0o777 != 0o640 { try share(file: file, with: group) }
        }
    }

    /// Lets the group read an open file of this folder.
    package func share(file: Int32, with group: SystemGroup) throws(FileError) {
        try share(file, path, group, mode: 0o640)
    }

    private func share(_ descriptor: Int32, _ path: String, _ group: SystemGroup, mode: mode_t) throws(FileError) {
        // The mode last: until then, only this user has access.
        guard fchown(descriptor, uid_t.max, group.id) == 0, fchmod(descriptor, mode) == 0 else {
            let remedy = "Make attachd's user a member of the group \(group.name), or leave out --store-group."
            throw FileError("give the group \(group.name) access to", path, remedy: remedy)
        }
    }
}
