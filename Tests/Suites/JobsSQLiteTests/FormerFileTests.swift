import Base
import GRDB
import Jobs
import JobsSQLite
import Support
import Testing

/// Tests of a queue file that an earlier version made: the schema is part of what users depend on.
@Suite("A queue file of an earlier version", .timeLimit(.minutes(10)))
struct FormerFileTests {
    /// The schema of version 1, as it is in files that are in use. It must not change with the code.
    private static let schema = """
        CREATE TABLE job(
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          tenant TEXT NOT NULL, id TEXT NOT NULL, priority INTEGER NOT NULL,
          state INTEGER NOT NULL DEFAULT 0, attempt INTEGER NOT NULL DEFAULT 0, starts INTEGER NOT NULL DEFAULT 0,
          enqueued INTEGER NOT NULL, deadline INTEGER NOT NULL, lease_until INTEGER NOT NULL,
          callback TEXT, producer TEXT, trace_parent TEXT, trace_state TEXT, content BLOB NOT NULL) STRICT;
        CREATE UNIQUE INDEX job_name ON job(tenant, id);
        CREATE INDEX job_waiting ON job(priority, deadline, seq) WHERE state = 0;
        CREATE INDEX job_leased ON job(lease_until) WHERE state = 1;
        CREATE TABLE reply(
          tenant TEXT NOT NULL, id TEXT NOT NULL, expires INTEGER NOT NULL,
          status TEXT NOT NULL, body BLOB NOT NULL) STRICT;
        CREATE UNIQUE INDEX reply_name ON reply(tenant, id);
        CREATE INDEX reply_expires ON reply(expires);
        CREATE TABLE outbox(
          seq INTEGER PRIMARY KEY AUTOINCREMENT, due INTEGER NOT NULL,
          attempt INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
          tenant TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, answered INTEGER NOT NULL,
          trace_parent TEXT, trace_state TEXT, status TEXT NOT NULL, body BLOB NOT NULL) STRICT;
        CREATE INDEX outbox_due ON outbox(due);
        CREATE TABLE dead(
          seq INTEGER PRIMARY KEY, buried INTEGER NOT NULL,
          tenant TEXT NOT NULL, id TEXT NOT NULL, priority INTEGER NOT NULL, starts INTEGER NOT NULL,
          enqueued INTEGER NOT NULL, deadline INTEGER NOT NULL,
          callback TEXT, producer TEXT, trace_parent TEXT, trace_state TEXT, content BLOB NOT NULL) STRICT;
        CREATE INDEX dead_name ON dead(tenant, id);
        PRAGMA application_id = 1098146664;
        PRAGMA user_version = 1;
        """

    /// A job, a dead letter, a reply and a callback, far from their deadlines: the year 2100 in milliseconds.
    private static let rows = """
        INSERT INTO job(tenant, id, priority, enqueued, deadline, lease_until, content)
          VALUES ('default', 'waiting', 0, 1700000000000, 4102444800000, 0, x'01');
        INSERT INTO job(tenant, id, priority, state, attempt, enqueued, deadline, lease_until, content)
          VALUES ('default', 'leased', 0, 1, 1, 1700000000000, 4102444800000, 4102444800000, x'02');
        INSERT INTO dead(buried, tenant, id, priority, starts, enqueued, deadline, content)
          VALUES (1700000000000, 'default', 'dead', 0, 5, 1700000000000, 1700000025000, x'03');
        INSERT INTO reply(tenant, id, expires, status, body)
          VALUES ('default', 'answered', 4102444800000, 'ok', x'04');
        INSERT INTO outbox(due, tenant, id, url, answered, status, body)
          VALUES (0, 'default', 'callback', 'https://gateway.example/done', 1700000000000, 'ok', x'05');
        """

    @Test(
        "its jobs are leased, its dead letters listed, its replies and callbacks there, and a job can be dead-lettered"
    )
    func opened() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        let file = try DatabaseQueue(path: path)
        try await file.write { database in try database.execute(sql: Self.schema + Self.rows) }
        try file.close()
        let queue = try await SQLiteJobQueue.open(path)
        #expect(try await queue.deadLetters(5).map(\.job.id) == ["dead"])
        let leased = try await queue.lease(5, waiting: .zero)
        #expect(Set(leased.map(\.job.id)) == ["waiting", "leased"])
        #expect(try await queue.leaseCallbacks(5).map(\.url) == ["https://gateway.example/done"])
        guard case .finished = try await queue.state(of: JobName(id: "answered"), waiting: .zero) else {
            Issue.record("the reply is not there")
            return
        }
        for job in leased {
            #expect(try await queue.start(job.lease))
            #expect(try await queue.deadLetter(job.lease, with: JobReply(.poison, body: [])))
        }
        #expect(try await queue.deadLetters(5).count == 3)
        await queue.close()
    }
}
