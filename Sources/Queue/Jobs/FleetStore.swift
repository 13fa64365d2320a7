/// The knowledge that the workers of a queue share beside its jobs: the files of each source, what was taken back, and small
/// entries.
///
/// Each worker holds a lease on what it knows. `takeBack` sets a mark, and whoever called it waits until every worker with a
/// lease knows the mark; a worker without a lease must not use what it made before (SECURITY D1).
package protocol FleetStore: Sendable {
    /// Records that a file was made from a source. The record lives for `lifetime`. `source` is a short name without spaces.
    func record(_ file: String, of source: String, for lifetime: Duration) async throws

    /// Returns the files that are recorded for a source.
    func files(of source: String) async throws -> [String]

    /// Marks files and, if there is one, a source with all files recorded for it as taken back, for `lifetime`.
    func takeBack(_ files: [String], source: String?, for lifetime: Duration) async throws -> TakenBack

    /// Returns up to some hundred marks after `version`, oldest first, and renews the lease of this worker, which knows all
    /// marks up to `version`. Without a time, ends the lease.
    func marks(after version: FleetVersion, leaseTime: Duration?) async throws -> [FleetMark]

    /// Returns the number of workers with a lease, and the number of those that do not know `version` yet.
    func workers(knowing version: FleetVersion) async throws -> (live: Int, behind: Int)

    // MARK: Entries

    /// Returns the entry `name`, or `nil` if it does not exist.
    func entry(_ name: String) async throws -> [UInt8]?

    /// Sets an entry, without a lifetime. With `onlyIfMissing`, keeps an existing one.
    func keep(_ value: [UInt8], as name: String, onlyIfMissing: Bool) async throws

    /// Returns the value of `field` in a table, or `nil` if it does not exist.
    func value(of field: String, in table: String) async throws -> [UInt8]?

    /// Sets a value of a table. The table lives for `lifetime` from now.
    func set(_ field: String, in table: String, to value: [UInt8], for lifetime: Duration) async throws

    /// Removes a table.
    func remove(table: String) async throws
}

/// The number of a mark. Only its store knows the order of numbers.
package struct FleetVersion: Sendable, Equatable {
    package var text: String

    package init(_ text: String) { self.text = text }

    /// The version before all marks.
    package static let none = FleetVersion("0-0")
}

/// A mark: what was taken back by one call.
package struct FleetMark: Sendable, Equatable {
    package var version: FleetVersion
    package var files: [String]
    package var source: String?

    package init(version: FleetVersion, files: [String], source: String?) {
        self.version = version
        self.files = files
        self.source = source
    }
}

/// The outcome of taking something back.
package struct TakenBack: Sendable, Equatable {
    package var mark: FleetMark
    /// A Boolean value that indicates whether the fleet knew a file of it, or had taken it back before.
    package var isKnown: Bool

    package init(mark: FleetMark, isKnown: Bool) {
        self.mark = mark
        self.isKnown = isKnown
    }
}
