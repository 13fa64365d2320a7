import Base
import FoundationEssentials
import GRDB
import Jobs

/// The schema of the queue's file. All times are in milliseconds since 1970.
enum Schema {
    /// The identifier of attachd's database files, "Atch" in ASCII.
    private static let applicationID = 0x4174_6368
    private static let version = 1

    /// Creates the tables in an empty file, and refuses a file of another program or version.
    static func prepare(_ database: Database, now: Int) throws {
        guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0 > 0 else {
            return try create(in: database, now: now)
        }
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id")
        guard id == applicationID else {
            throw JobQueueError(.misconfigured, "The queue's file is another program's database. Name another file.")
        }
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found == version else {
            throw JobQueueError(
                .misconfigured,
                "The queue's file has version \(found), and this program needs version \(version). Let the program that "
                    + "made the file finish its jobs, or name another file."
            )
        }
        // Files of earlier versions do not have it, and do well with it.
        try database.execute(sql: turnIndex)
    }

    private static func create(in database: Database, now: Int) throws {
        try database.execute(sql: tables)
        try database.execute(sql: turnIndex)
        // Entry numbers are never reused, even after a damaged file was replaced: a late answer to a job of the old
        // file must not match a new job.
        try database.execute(
            sql: "INSERT INTO sqlite_sequence(name, seq) VALUES ('job', :first), ('outbox', :first)",
            arguments: ["first": now * 1000],
        )
        try database.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }

    /// Finds the next tenant, and the most urgent job of each.
    private static let turnIndex = """
        CREATE INDEX IF NOT EXISTS job_turn ON job(priority, tenant, deadline, seq) WHERE state = 0;
        """

    // The columns that change during work precede the content and keep their size: SQLite then overwrites them in place
    // and does not rewrite the pages of the content.
    private static let tables = """
        CREATE TABLE job(
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          tenant TEXT NOT NULL, id TEXT NOT NULL, priority INTEGER NOT NULL,
          state INTEGER NOT NULL DEFAULT 0,         -- 0 waiting, 1 leased
          attempt INTEGER NOT NULL DEFAULT 0,       -- of leases: the fence
          starts INTEGER NOT NULL DEFAULT 0,
          enqueued INTEGER NOT NULL, deadline INTEGER NOT NULL, lease_until INTEGER NOT NULL,
          callback TEXT, producer TEXT, trace_parent TEXT, trace_state TEXT,
          content BLOB NOT NULL) STRICT;
        CREATE UNIQUE INDEX job_name ON job(tenant, id);
        CREATE INDEX job_waiting ON job(priority, deadline, seq) WHERE state = 0;
        CREATE INDEX job_leased ON job(lease_until) WHERE state = 1;

        CREATE TABLE reply(
          tenant TEXT NOT NULL, id TEXT NOT NULL, expires INTEGER NOT NULL,
          status TEXT NOT NULL, body BLOB NOT NULL) STRICT;
        CREATE UNIQUE INDEX reply_name ON reply(tenant, id);
        CREATE INDEX reply_expires ON reply(expires);

        CREATE TABLE outbox(
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          due INTEGER NOT NULL,                     -- while it is leased, the end of the lease
          attempt INTEGER NOT NULL DEFAULT 0,       -- of leases: the fence
          failures INTEGER NOT NULL DEFAULT 0,
          tenant TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, answered INTEGER NOT NULL,
          trace_parent TEXT, trace_state TEXT, status TEXT NOT NULL, body BLOB NOT NULL) STRICT;
        CREATE INDEX outbox_due ON outbox(due);

        CREATE TABLE dead(
          seq INTEGER PRIMARY KEY, buried INTEGER NOT NULL,
          tenant TEXT NOT NULL, id TEXT NOT NULL, priority INTEGER NOT NULL, starts INTEGER NOT NULL,
          enqueued INTEGER NOT NULL, deadline INTEGER NOT NULL,
          callback TEXT, producer TEXT, trace_parent TEXT, trace_state TEXT,
          content BLOB NOT NULL) STRICT;
        CREATE INDEX dead_name ON dead(tenant, id);
        """
}

// MARK: - Statements

extension Database {
    /// Runs a cached statement and returns the number of rows it changed.
    @discardableResult
    func change(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try cachedStatement(sql: sql).execute(arguments: arguments)
        return changesCount
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try Int.fetchOne(cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}

extension Row {
    /// Returns a column's value. Throws `SQLITE_CORRUPT` if the value has the wrong type.
    func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        guard let value = Value.fromDatabaseValue(self[column]) else { throw damage(in: column) }
        return value
    }

    func optional<Value: DatabaseValueConvertible>(_ column: String) throws -> Value? {
        let stored: DatabaseValue = self[column]
        guard !stored.isNull else { return nil }
        return try value(column)
    }

    /// Returns a time or a duration in milliseconds. The bound of 142,000 years keeps sums from overflowing.
    func milliseconds(_ column: String) throws -> Int { try number(column, in: 0...1 << 52) }

    func count(_ column: String) throws -> Int { try number(column, in: LeasedCallback.sensibleCounts) }

    private func number(_ column: String, in range: ClosedRange<Int>) throws -> Int {
        let number: Int = try value(column)
        guard range.contains(number) else { throw damage(in: column) }
        return number
    }

    func bytes(_ column: String) throws -> [UInt8] { [UInt8](try value(column) as Data) }

    /// Returns the case of an enumeration that a column holds as its raw value.
    func named<Value: RawRepresentable>(_ column: String) throws -> Value
    where Value.RawValue: DatabaseValueConvertible {
        guard let value = Value(rawValue: try value(column)) else { throw damage(in: column) }
        return value
    }

    private func damage(in column: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "column \(column) has an invalid value")
    }
}

// MARK: - Jobs in rows

extension Row {
    /// Reads a job from the columns of `job` or `dead`.
    func job() throws -> Job {
        let enqueued = try milliseconds("enqueued")
        let deadline = try milliseconds("deadline")
        return Job(
            id: try value("id"),
            tenant: try value("tenant"),
            priority: try named("priority"),
            timeLimit: .milliseconds(deadline - enqueued),
            content: try bytes("content"),
            answer: Job.Answer(callback: try optional("callback"), producer: try optional("producer")),
            trace: try trace(),
        )
    }

    func leasedJob(_ clock: UnixClock) throws -> LeasedJob {
        LeasedJob(
            lease: try lease(),
            job: try job(),
            deadline: clock.instant(try milliseconds("deadline")),
            enqueued: clock.instant(try milliseconds("enqueued")),
            starts: try count("starts"),
        )
    }

    func leasedCallback(_ clock: UnixClock) throws -> LeasedCallback {
        let (lease, failures) = (try lease(), try count("failures"))
        return LeasedCallback(
            lease: lease,
            name: try name(),
            url: try value("url"),
            reply: try reply(),
            trace: try trace(),
            failures: failures,
            // Both leases and failures raise the fence.
            attempt: Swift.max(1, lease.fence - failures),
            answered: clock.instant(try milliseconds("answered")),
        )
    }

    func name() throws -> JobName { JobName(id: try value("id"), tenant: try value("tenant")) }

    func reply() throws -> JobReply { JobReply(try named("status"), body: try bytes("body")) }

    private func lease() throws -> Lease {
        Lease(entry: String(try value("seq") as Int), fence: try count("attempt"))
    }

    private func trace() throws -> TraceContext? {
        let parent: String? = try optional("trace_parent")
        return try parent.map { TraceContext(parent: $0, state: try optional("trace_state")) }
    }
}
