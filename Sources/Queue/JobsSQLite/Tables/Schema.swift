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
