import GRDB
import Jobs

/// The tables of the queue's file. All times are milliseconds since 1970.
enum Schema {
    /// "Atch": tells our files from other programs'.
    private static let applicationID = 0x4174_6368
    private static let version = 1

    /// Makes the tables in a file that has none, and refuses one that isn't ours.
    static func prepare(_ database: Database, now: Int) throws {
        guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0 > 0 else {
            return try create(in: database, now: now)
        }
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id")
        guard id == applicationID else {
            throw JobQueueError(.misconfigured, "The queue's file is another program's database: name another file.")
        }
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found == version else {
            throw JobQueueError(
                .misconfigured,
                "The queue's file has version \(found) and this program knows \(version): let the program that made it "
                    + "work it off, or name another file."
            )
        }
    }

    private static func create(in database: Database, now: Int) throws {
        try database.execute(sql: tables)
        // Numbers of entries are never used again, not even after a damaged file was set aside: a late answer to a job
        // of that file must meet nothing.
        try database.execute(
            sql: "INSERT INTO sqlite_sequence(name, seq) VALUES ('job', :first), ('outbox', :first)",
            arguments: ["first": now * 1000],
        )
        try database.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }

    // What changes while a job is worked on stands before its content and has the same size before and after: SQLite then
    // overwrites these bytes in place, and leaves the pages of the content alone.
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
          seq INTEGER PRIMARY KEY, deadLettered INTEGER NOT NULL,
          tenant TEXT NOT NULL, id TEXT NOT NULL, priority INTEGER NOT NULL, starts INTEGER NOT NULL,
          enqueued INTEGER NOT NULL, deadline INTEGER NOT NULL,
          callback TEXT, producer TEXT, trace_parent TEXT, trace_state TEXT,
          content BLOB NOT NULL) STRICT;
        CREATE INDEX dead_name ON dead(tenant, id);
        """
}
