import Foundation
import GRDB
import Jobs

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
