import Foundation
import GRDB
import Glibc
import Jobs
import Media
import Timing

/// The queue's file, and the one connection that writes to it and checkpoints it: two could damage it with SQLite before
/// 3.51.3 (sqlite.org/wal.html#walresetbug). It blocks, so it belongs on a thread of its own.
struct JobFile {
    private let path: String
    private let files: QueueFiles
    private let limits: QueueLimits
    private let durability: Durability
    private let clock: UnixClock
    /// `nil` once it is closed.
    private var lock: QueueLock?
    /// `nil` until the file could be opened.
    private var connection: DatabaseQueue?
    private var backlog = Backlog()
    private var tidied: Int
    private var changesWhenTidied = 0
    private let reserve: SpaceReserve
    /// What the queue's path led to when it was opened.
    private var identity: QueueFiles.Identity?
    /// When the file was last found missing.
    private var removed: Int?
    /// Whether the disk was full when something was written last, and has had no space since.
    private(set) var isFull = false
    /// How many damaged files were set aside.
    private(set) var setAsideCount = 0

    private static let largestLog = 64_000_000
    /// How long people are told of a file that was removed and written anew, in milliseconds.
    private static let remarkTime = 600_000

    /// Rescues all jobs that were leased: who had them is gone with its process.
    init(_ path: String, limits: QueueLimits, durability: Durability, clock: UnixClock) throws(JobQueueError) {
        self.path = path
        self.limits = limits
        self.durability = durability
        self.clock = clock
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

    /// Makes changes that are kept together or not at all. In a file that proves to be damaged they are made to a new one.
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
        let (value, changes) = try connection.write { database in
            var tables = JobTables(database, clock: clock, limits: limits, backlog: backlog)
            return (try work(&tables), tables.changes)
        }
        backlog.add(changes)
        return value
    }

    mutating func close() {
        disconnect()
        reserve.release()
        lock = nil
    }

    /// What is wrong now.
    var troubles: Set<QueueTrouble> {
        var troubles: Set<QueueTrouble> = isFull ? [.diskFull] : []
        if let removed, clock.now - removed < Self.remarkTime { troubles.insert(.fileRemoved) }
        return troubles
    }

    // MARK: Opening

    /// `keepsLeases` when it was open before, and its jobs are this process's still.
    private mutating func opened(keepsLeases: Bool = false) throws -> DatabaseQueue {
        if let connection { return connection }
        guard lock != nil else { throw JobQueueError(.unavailable, "The queue is closed.") }
        let identity = try files.create()
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Nobody else writes. Readers hold up a checkpoint, which can wait until they're gone.
        configuration.busyMode = .timeout(0.25)
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        guard files.identity == identity else {
            throw JobQueueError(.untrusted, "\(path) was replaced while it was opened. Who else writes to its folder?")
        }
        try connection.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = \(durability.rawValue); PRAGMA temp_store = MEMORY")
        }
        backlog = try connection.write { database in
            try Schema.prepare(database, now: clock.now)
            if !keepsLeases { try endLeases(in: database) }
            return try Backlog(of: database)
        }
        self.connection = connection
        self.identity = identity
        isFull = !reserve.take() && isFull
        return connection
    }

    /// Who had leases is no more.
    private func endLeases(in database: Database) throws {
        try database.execute(sql: "UPDATE job SET state = 0 WHERE state = 1")
        let soonest = clock.now + limits.callbackTime.milliseconds
        try database.execute(sql: "UPDATE outbox SET due = 0 WHERE due <= ?", arguments: [soonest])
    }

    /// Jobs live for seconds, so being there again counts for more than what could be read of a damaged file.
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

    /// Forgets old answers and cuts the log, once a second at most. What fails is tried again the next time.
    mutating func tidy() {
        guard clock.now - tidied >= 1000 else { return }
        tidied = clock.now
        noticeRemoval()
        // Another one, where the file was written anew.
        guard let connection else { return }
        let hasMore = try? transaction { try $0.forgetReplies() }
        // However fast jobs are answered, their answers are forgotten as fast.
        if hasMore == true { tidied -= 1000 }
        try? connection.writeWithoutTransaction { database in
            let isIdle = database.totalChangesCount == changesWhenTidied
            changesWhenTidied = database.totalChangesCount
            let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
            if size > Self.largestLog || isIdle && size > 0 { try database.checkpoint(.truncate) }
        }
    }

    // MARK: A full disk

    /// Makes room after the disk was found full: in the log, and for what finishes jobs by giving the reserve up.
    mutating func makeRoom(finishesJobs: Bool) {
        isFull = true
        cutLog()
        guard finishesJobs else { return }
        reserve.release()
        cutLog()
    }

    /// Looks whether a full disk has space again.
    mutating func lookForSpace() { if isFull { isFull = !reserve.take() } }

    private func cutLog() {
        _ = try? connection?.writeWithoutTransaction { database in try database.checkpoint(.truncate) }
    }

    // MARK: A removed file

    private mutating func noticeRemoval() {
        let found = files.identity
        guard connection != nil, found != identity else { return }
        removed = clock.now
        // Another program's file, or another attachd's, is left alone.
        if found == nil { try? writeAnew() }
    }

    /// Writes what the removed file holds to a new one. Leases go on.
    private mutating func writeAnew() throws {
        guard let connection else { return }
        // The lock may be gone with the file; then somebody else may have it.
        if lock?.isInPlace != true { lock = try QueueLock(besides: path) }
        let copy = path + ".restored"
        _ = unsafe unlink(copy)
        _ = try QueueFiles(path: copy).create()
        do {
            try connection.writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM INTO ?", arguments: [copy])
            }
            // SQLite removes its other files by their names.
            disconnect()
            guard unsafe rename(copy, path) == 0 else { throw JobQueueError(.noSpace, "The queue's file is removed.") }
            _ = try opened(keepsLeases: true)
        } catch {
            _ = unsafe unlink(copy)
            throw error
        }
    }
}
