import Jobs
import Timing

/// Small tables beside the queue, in which the fleet's workers share what they know: a hash each, with a lifetime.
extension RedisJobQueue {
    /// Returns the value of `field` in the table, or `nil` if there is none.
    package func value(of field: String, in table: String) async throws -> [UInt8]? {
        let command = RedisCommand("HGET", settings.prefix + table, field)
        return try await replies(to: [command], on: commands, repeatable: true)[0].bytes
    }

    /// Sets a value of the table, which lives for `lifetime` from now.
    package func set(_ field: String, in table: String, to value: [UInt8], for lifetime: Duration) async throws {
        let key = settings.prefix + table
        let set = RedisCommand([Array("HSET".utf8), Array(key.utf8), Array(field.utf8), value])
        let expire = RedisCommand("PEXPIRE", key, "\(max(1, lifetime.milliseconds))")
        for case .error(let message) in try await replies(to: [set, expire], on: commands, repeatable: true) {
            throw JobQueueError(.broken, "The queue's Redis refused to keep an entry: \(message).")
        }
    }

    /// Returns the value of the entry `name` beside the queue, or `nil` if there is none.
    package func entry(_ name: String) async throws -> [UInt8]? {
        switch try await replies(to: [RedisCommand("GET", settings.prefix + name)], on: commands, repeatable: true)[0] {
        case .bytes(let bytes): return bytes
        case .null: return nil
        case let reply: throw JobQueueError(.broken, "The queue's Redis did not give an entry: \(reply.problem).")
        }
    }

    /// Sets the entry `name` beside the queue, for good; with `onlyIfMissing`, unless there is one.
    package func keep(_ value: [UInt8], as name: String, onlyIfMissing: Bool = false) async throws {
        let words = [Array("SET".utf8), Array((settings.prefix + name).utf8), value]
        let command = RedisCommand(words + (onlyIfMissing ? [Array("NX".utf8)] : []))
        let replies = try await replies(to: [command], on: commands, repeatable: true, isAcknowledged: true)
        if case .error(let message) = replies[0] {
            throw JobQueueError(.broken, "The queue's Redis refused to keep an entry: \(message).")
        }
    }

    /// Removes a table.
    package func remove(table: String) async throws {
        _ = try await replies(to: [RedisCommand("DEL", settings.prefix + table)], on: commands, repeatable: true)
    }
}

extension RedisReply {
    /// The error that the server gave, or words for another reply than the expected one.
    fileprivate var problem: String {
        if case .error(let message) = self { message } else { "an unexpected reply" }
    }
}
