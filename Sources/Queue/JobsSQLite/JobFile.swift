import Base
import Files
import FoundationEssentials
import GRDB
import Glibc
import Jobs
import Media

/// The queue's file, and the only connection that writes to it and checkpoints it. Two connections could damage it with
/// SQLite before 3.51.3 (sqlite.org/wal.html#walresetbug). Its methods block, so call them on a separate thread.
struct JobFile {
    private let path: String
    private let files: QueueFiles
    private let limits: QueueLimits
    private let durability: Durability
    private let clock: UnixClock
    /// The lock of the file, or `nil` after `close`.
    private var lock: QueueLock?
    /// The connection, or `nil` until the file was opened successfully.
    private var connection: DatabaseQueue?
    private var backlog = Backlog()
    private var turns: Turns
    private var tidied: Int
    private var changesWhenTidied = 0
    private let reserve: SpaceReserve
    /// The identity of the file at the queue's path when it was opened.
    private var identity: FileIdentity?
    /// The time at which the file was last found missing.
    private var removed: Int?
    /// A Boolean value that indicates whether the disk was full at the last write, and has had no free space since.
    private(set) var isFull = false
    /// The number of damaged files that were set aside.
    private(set) var setAsideCount = 0

    private static let largestLog = 64_000_000
    /// The time for which a removed and rewritten file is reported as a problem, in milliseconds.
    private static let remarkTime = 600_000

    /// Opens the file and ends all leases, whose worker ended with its process.
    init(_ path: String, limits: QueueLimits, durability: Durability, clock: UnixClock) throws(JobQueueError) {
        self.path = path
        self.limits = limits
        self.durability = durability
        self.clock = clock
        turns = Turns(limits.shares.lines)
        files = QueueFiles(path: path)
        try files.check()
        lock = try QueueLock(besides: path)
        tidied = clock.now
        reserve = SpaceReserve(besides: path)
        do {
            try mendingDamage { file in _ = try file.opened() }
        } catch {
            throw JobQueueError(error)
        }
    }

    /// Makes changes in one transaction. If the file proves to be damaged, sets it aside and makes the changes in a new
    /// file.
    mutating func change<Value>(_ work: (inout JobTables) throws -> Value) throws -> Value {
        try mendingDamage { file in try file.transaction(work) }
    }

    mutating func read<Value>(_ look: (JobListing) throws -> Value) throws -> Value {
        try mendingDamage { file in
            let now = file.clock.now
            return try file.opened().read { try look(JobListing(database: $0, now: now)) }
        }
    }

    private mutating func transaction<Value>(_ work: (inout JobTables) throws -> Value) throws -> Value {
        let connection = try opened()
        let (value, changes, taken) = try connection.write { database in
            var tables = JobTables(database, clock: clock, limits: limits, backlog: backlog, turns: turns)
            return (try work(&tables), tables.changes, tables.turns)
        }
        backlog.add(changes)
        turns = taken
        return value
    }

    mutating func close() {
        disconnect()
        reserve.release()
        lock = nil
    }

    /// The current problems.
    var warnings: Set<QueueWarning> {
        var warnings: Set<QueueWarning> = isFull ? [.diskFull] : []
        if let removed, clock.now - removed < Self.remarkTime { warnings.insert(.fileRemoved) }
        return warnings
    }

    // MARK: Opening

    /// Opens the connection. Keeps the leases if `keepsLeases`, when this process had the file open before.
    private mutating func opened(keepsLeases: Bool = false) throws -> DatabaseQueue {
        if let connection { return connection }
        guard lock != nil else { throw JobQueueError(.unavailable, "The queue is closed.") }
        let identity = try files.create()
        var configuration = Configuration()
        configuration.journalMode = .wal
        // No other process writes. Readers can delay a checkpoint, which then happens later.
        configuration.busyMode = .timeout(0.25)
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        guard files.identity == identity else {
            throw JobQueueError(
                .untrusted,
                "\(path) was replaced while it was opened. Check who else writes to its folder."
            )
        }
        try connection.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = \(durability.rawValue); PRAGMA temp_store = MEMORY")
        }
        backlog = try connection.write { database in
            try Schema.prepare(database, now: clock.now)
            if !keepsLeases { try endLeases(in: database) }
            return try Backlog(of: database, limits.shares)
        }
        self.connection = connection
        self.identity = identity
        isFull = !reserve.take() && isFull
        return connection
    }

    /// Ends all leases. Their holders ended with an earlier process.
    private func endLeases(in database: Database) throws {
        try database.execute(sql: "UPDATE job SET state = 0 WHERE state = 1")
        let soonest = clock.now + limits.callbackTime.milliseconds
        try database.execute(sql: "UPDATE outbox SET due = 0 WHERE due <= ?", arguments: [soonest])
    }

    /// Calls `work`. If the file is damaged, replaces it and calls `work` again. Jobs live for seconds, so a working
    /// queue is worth more than the readable part of a damaged file.
    private mutating func mendingDamage<Value>(_ work: (inout JobFile) throws -> Value) throws -> Value {
        do {
            return try work(&self)
        } catch let error as DatabaseError where error.meansDamage {
            setAside()
            return try work(&self)
        }
    }

    private mutating func disconnect() {
        try? connection?.close()
        connection = nil
    }

    private mutating func setAside() {
        disconnect()
        setAsideCount += 1
        let date = Date().formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true)
        )
        let name = "\(path).damaged-\(date)"
        for suffix in ["", "-wal"] { try? FileManager.default.moveItem(atPath: path + suffix, toPath: name + suffix) }
        try? FileManager.default.removeItem(atPath: path + "-shm")
    }

    // MARK: Tidying

    /// Deletes old answers and truncates the log, once a second at most. If this fails, the next call tries again.
    mutating func tidy() {
        guard clock.now - tidied >= 1000 else { return }
        tidied = clock.now
        noticeRemoval()
        // The connection may have changed, if the file was rewritten.
        guard let connection else { return }
        let hasMore = try? transaction { try $0.forgetReplies() }
        // More answers have expired: the next call goes on at once, so that deletion keeps up with any rate of answers.
        if hasMore == true { tidied -= 1000 }
        try? connection.writeWithoutTransaction { database in
            let isIdle = database.totalChangesCount == changesWhenTidied
            changesWhenTidied = database.totalChangesCount
            let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
            if size > Self.largestLog || isIdle && size > 0 { try database.checkpoint(.truncate) }
        }
    }

    // MARK: A full disk

    /// Frees space on a full disk: truncates the log and, for changes that finish jobs, releases the reserve.
    mutating func makeRoom(finishesJobs: Bool) {
        isFull = true
        cutLog()
        guard finishesJobs else { return }
        reserve.release()
        cutLog()
    }

    /// Checks whether a full disk has free space again.
    mutating func lookForSpace() { if isFull { isFull = !reserve.take() } }

    private func cutLog() {
        _ = try? connection?.writeWithoutTransaction { database in try database.checkpoint(.truncate) }
    }

    // MARK: A removed file

    private mutating func noticeRemoval() {
        let found = files.identity
        guard connection != nil, found != identity else { return }
        removed = clock.now
        // A file of another program, or of another attachd, is left alone.
        if found == nil { try? writeAnew() }
    }

    /// Writes the content of the removed file to a new one. Leases remain valid.
    private mutating func writeAnew() throws {
        guard let connection else { return }
        // The lock's file may be removed, too. Another process may then hold a new one.
        if lock?.isInPlace != true { lock = try QueueLock(besides: path) }
        let copy = path + ".restored"
        _ = unsafe unlink(copy)
        _ = try QueueFiles(path: copy).create()
        do {
            try connection.writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM INTO ?", arguments: [copy])
            }
            // SQLite removes its other files by name, so it must close first.
            disconnect()
            guard unsafe rename(copy, path) == 0 else {
                throw JobQueueError(.noSpace, "The queue's file was removed and could not be written again.")
            }
            _ = try opened(keepsLeases: true)
        } catch {
            _ = unsafe unlink(copy)
            throw error
        }
    }
}

// MARK: - Durability

/// The durability of acknowledged changes when the power fails. A killed process never loses any.
package enum Durability: String, Sendable, CaseIterable {
    /// Changes since the last checkpoint may be lost. Suited to jobs that live for seconds.
    case normal
    /// No change is lost. Every commit waits for the disk.
    case full
}

// MARK: - Times

/// A conversion between the file's times, in whole milliseconds since 1970, and instants of this process.
///
/// The clocks are compared once, when the queue opens. A later change of the system's clock does not move deadlines.
struct UnixClock: Sendable {
    let time: any TimeSource
    /// The Unix time at the origin of `time`.
    private let origin: Int

    init(_ time: any TimeSource) {
        self.time = time
        origin = Int(clamping: Date().timeIntervalSince1970 * 1000) - time.now.sinceOrigin.milliseconds
    }

    var now: Int { origin + time.now.sinceOrigin.milliseconds }

    func instant(_ milliseconds: Int) -> Instant {
        Instant(sinceOrigin: .milliseconds(milliseconds - origin))
    }
}

// MARK: - Errors

extension JobQueueError {
    /// Translates an error of SQLite for the queue's callers.
    init(_ error: any Error) {
        switch error {
        case let error as JobQueueError: self = error
        case let error as DatabaseError: self.init(error)
        default: self.init(.broken, "The queue's file: \(error)")
        }
    }

    private init(_ error: DatabaseError) {
        let text = error.message ?? "error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL:
            self.init(
                .noSpace,
                "The disk of the queue's file is full. Free some disk space. The queue then resumes by itself."
            )
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self.init(.noSpace, "The queue's file cannot be read or written: \(text).")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.unavailable, "The queue's file is locked by another process that reads it: \(text).")
        default:
            self.init(.broken, "The queue's file: \(text).")
        }
    }
}

extension DatabaseError {
    /// A Boolean value that indicates whether the file is damaged or not a database.
    var meansDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}
