import Foundation
import GRDB
import Jobs
import Media

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
    /// How many damaged files were set aside.
    private(set) var setAsideCount = 0

    private static let largestLog = 64_000_000

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
        lock = nil
    }

    // MARK: Opening

    private mutating func opened() throws -> DatabaseQueue {
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
            // Who had leases is no more.
            try database.execute(sql: "UPDATE job SET state = 0 WHERE state = 1")
            let soonest = clock.now + limits.callbackTime.milliseconds
            try database.execute(sql: "UPDATE outbox SET due = 0 WHERE due <= ?", arguments: [soonest])
            var backlog = Backlog()
            for row in try Row.fetchAll(database, sql: "SELECT tenant, count(*) AS jobs FROM job GROUP BY tenant") {
                backlog.add(try row.value("jobs"), of: try row.value("tenant"))
            }
            return backlog
        }
        self.connection = connection
        return connection
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
        guard let connection, clock.now - tidied >= 1000 else { return }
        tidied = clock.now
        try? transaction { try $0.forgetReplies() }
        try? connection.writeWithoutTransaction { database in
            let isIdle = database.totalChangesCount == changesWhenTidied
            changesWhenTidied = database.totalChangesCount
            let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
            if size > Self.largestLog || isIdle && size > 0 { try database.checkpoint(.truncate) }
        }
    }

    /// Makes room in the log, where the disk has none for it to grow.
    mutating func cutLog() {
        _ = try? connection?.writeWithoutTransaction { database in try database.checkpoint(.truncate) }
    }
}
