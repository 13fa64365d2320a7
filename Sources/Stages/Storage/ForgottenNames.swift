import Glibc
import Synchronization
import Timing

/// The names of files that were taken back. Until no link to one can hold any more, it is not stored again.
///
/// Each is an empty file in a folder of its own, whose time of change says until when it counts: other processes and
/// later ones know it, too.
final class ForgottenNames: Sendable {
    private let directory: Directory
    private let ends = Mutex<[AttachmentIdentifier: UnixTime]>([:])

    init(in directory: Directory) {
        self.directory = directory
        load()
    }

    /// A Boolean value that indicates whether the name is known here to be forgotten; other processes' are after `load`.
    func contains(_ name: AttachmentIdentifier, at now: UnixTime) -> Bool {
        ends.withLock { $0[name].map { $0 > now } ?? false }
    }

    /// Learns whether another process has forgotten the name, too.
    func containsAnywhere(_ name: AttachmentIdentifier, at now: UnixTime) -> Bool {
        if contains(name, at: now) { return true }
        guard let status = directory.status(of: name.description) else { return false }
        let end = UnixTime(status.st_mtim)
        ends.withLock { $0[name] = end }
        return end > now
    }

    /// Returns when it survives a crash.
    func insert(_ name: AttachmentIdentifier, until end: UnixTime) throws(StoreError) {
        if directory.status(of: name.description) == nil {
            let file: Int32
            do throws(StoreError) {
                file = try directory.createFile(name.description)
            } catch  where error.code == EEXIST {
                // Another process has just done the same.
                return
            }
            close(file)
        }
        guard directory.touch(name.description, at: end) else { throw StoreError("touch", "\(directory.path)/\(name)") }
        try directory.sync()
        ends.withLock { $0[name] = end }
    }

    /// Learns what other processes have forgotten.
    func load() {
        var found: [AttachmentIdentifier: UnixTime] = [:]
        for name in directory.names.compactMap({ AttachmentIdentifier($0) }) {
            found[name] = directory.status(of: name.description).map { UnixTime($0.st_mtim) }
        }
        ends.withLock { [found] in $0.merge(found) { max($0, $1) } }
    }

    func sweep(at now: UnixTime) {
        load()
        let over = ends.withLock { ends in ends.filter { $0.value <= now }.keys }
        for name in over {
            try? directory.remove(name.description)
            ends.withLock { _ = $0.removeValue(forKey: name) }
        }
    }
}
