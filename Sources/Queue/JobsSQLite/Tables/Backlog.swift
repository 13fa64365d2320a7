import GRDB
import Jobs

/// The numbers of open jobs and of answers still to be posted, in total and for each line of tenants, or the changes of these
/// numbers.
struct Backlog: Sendable {
    private(set) var total = 0
    /// The size of all answers still to be posted, in bytes.
    var answerBytes = 0
    private var byLine: [String: Int] = [:]

    subscript(line: String) -> Int { byLine[line, default: 0] }

    mutating func add(_ count: Int, of line: String) {
        total += count
        let sum = self[line] + count
        byLine[line] = sum == 0 ? nil : sum
    }

    mutating func add(_ changes: Backlog) {
        answerBytes += changes.answerBytes
        for (line, count) in changes.byLine { add(count, of: line) }
    }
}

extension Backlog {
    /// Counts the rows of the tables.
    init(of database: Database, _ shares: TenantShares) throws {
        for table in ["job", "outbox"] {
            let counts = try Row.fetchAll(
                database,
                sql: "SELECT tenant, count(*) AS count FROM \(table) GROUP BY tenant"
            )
            for row in counts { add(try row.count("count"), of: shares.line(of: try row.value("tenant"))) }
        }
        answerBytes = try database.count("SELECT coalesce(sum(length(body)), 0) FROM outbox")
    }
}
