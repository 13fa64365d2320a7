import Base
package import Jobs
import Media

extension RedisJobQueue: FleetStore {
    package func record(_ file: String, of source: String, for lifetime: Duration) async throws {
        try await run(.record, ["\(max(1, lifetime.milliseconds))", source, file])
    }

    package func files(of source: String) async throws -> [String] {
        let command = RedisCommand("HKEYS", "\(settings.prefix)made:s:\(source)")
        guard let files = try await replies(to: [command], on: commands, repeatable: true)[0].elements else {
            throw Self.invalidReply("an invalid list of files")
        }
        return files.compactMap(\.text)
    }

    package func takeBack(_ files: [String], source: String?, for lifetime: Duration) async throws -> TakenBack {
        let reply = try await run(.takeBack, ["\(max(1, lifetime.milliseconds))", source ?? ""] + files).elements
        guard let reply, reply.count >= 2, let version = reply[0].text, let known = reply[1].integer else {
            throw Self.invalidReply("an invalid answer to a deletion")
        }
        let mark = FleetMark(
            version: FleetVersion(version),
            files: reply.dropFirst(2).compactMap(\.text),
            source: source,
        )
        return TakenBack(mark: mark, isKnown: known == 1)
    }

    package func marks(after version: FleetVersion, leaseTime: Duration?) async throws -> [FleetMark] {
        let lease = leaseTime.map { max(1, $0.milliseconds) } ?? 0
        guard let marks = try await run(.know, [worker, version.text, "\(lease)"]).elements else {
            throw Self.invalidReply("an invalid list of deletions")
        }
        return try marks.map { mark in
            guard let parts = mark.elements, parts.count == 2, let version = parts[0].text,
                let fields = parts[1].elements?.map({ $0.text ?? "" }), fields.count >= 2
            else { throw Self.invalidReply("an invalid deletion") }
            let files = stride(from: 3, to: fields.count, by: 2).map { fields[$0] }
            return FleetMark(
                version: FleetVersion(version),
                files: files,
                source: fields[1].isEmpty ? nil : fields[1],
            )
        }
    }

    package func workers(knowing version: FleetVersion) async throws -> (live: Int, behind: Int) {
        let counts = try await run(.knowing, [version.text]).elements?.compactMap(\.integer)
        guard let counts, counts.count == 2 else { throw Self.invalidReply("an invalid number of workers") }
        return (counts[0], counts[1])
    }

    // MARK: Entries

    package func entry(_ name: String) async throws -> [UInt8]? {
        switch try await replies(to: [RedisCommand("GET", settings.prefix + name)], on: commands, repeatable: true)[0] {
        case .bytes(let bytes): return bytes
        case .null: return nil
        case .error(let message): throw JobQueueError(.broken, "The queue's Redis did not give an entry: \(message).")
        default: throw Self.invalidReply("an entry that is not text")
        }
    }

    package func keep(_ value: [UInt8], as name: String, onlyIfMissing: Bool) async throws {
        try await run(.keep, [Array(name.utf8), value] + (onlyIfMissing ? [Array("NX".utf8)] : []))
    }

    package func value(of field: String, in table: String) async throws -> [UInt8]? {
        let command = RedisCommand("HGET", settings.prefix + table, field)
        return try await replies(to: [command], on: commands, repeatable: true)[0].bytes
    }

    package func set(_ field: String, in table: String, to value: [UInt8], for lifetime: Duration) async throws {
        let key = settings.prefix + table
        let set = RedisCommand([Array("HSET".utf8), Array(key.utf8), Array(field.utf8), value])
        let expire = RedisCommand("PEXPIRE", key, "\(max(1, lifetime.milliseconds))")
        for case .error(let message) in try await replies(to: [set, expire], on: commands, repeatable: true) {
            throw JobQueueError(.broken, "The queue's Redis refused to keep an entry: \(message).")
        }
    }

    package func remove(table: String) async throws {
        _ = try await replies(to: [RedisCommand("DEL", settings.prefix + table)], on: commands, repeatable: true)
    }
}
