import Foundation
import Media
import Payloads
import Synchronization
import Testing

/// A payload, the attachments in it, the ready files, and the expected payload.
///
/// A file `DIALECT.json` holds all cases of one dialect by their names. In `ready`, `null` stands for an attachment that
/// failed. Those of `own.json` have dialects of their own, as a configuration file has them: for senders that no built-in
/// one knows.
struct Golden: CustomTestStringConvertible {
    let name: String
    let dialect: String
    let json: JSONValue

    static let all: [Golden] = {
        let folder = Bundle.module.url(forResource: "Golden", withExtension: nil)
        let files = folder.flatMap {
            try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        return (files ?? []).filter { $0.pathExtension == "json" }.flatMap(cases).sorted { $0.name < $1.name }
    }()

    private static func cases(in file: URL) -> [Golden] {
        let dialect = file.deletingPathExtension().lastPathComponent
        do {
            guard case .object(let cases) = try JSONValue(parsing: [UInt8](Data(contentsOf: file))) else {
                fatalError("\(file.path): not an object")
            }
            return cases.map { Golden(name: "\(dialect).\($0.key)", dialect: dialect, json: $0.value) }
        } catch {
            fatalError("\(file.path): \(error)")
        }
    }

    var testDescription: String { name }

    /// A Boolean value that indicates whether the attachments are those of other dialects' payloads inside.
    var isWrapping: Bool {
        json["payload"]?["notifications"] != nil || json["wrapping"] == true
    }

    /// A reader with the file's dialects before the built-in ones.
    var reader: PayloadReader {
        get throws {
            var dialects = Dialect.builtIn
            if case .object(let members)? = json["dialects"] {
                dialects = try members.map { try Self.definition($0).dialect() } + dialects
            }
            return PayloadReader(dialects: dialects, makeIdentifier: Self.countedIdentifiers())
        }
    }

    private static func definition(_ member: JSONValue.Member) throws -> DialectDefinition {
        let table = member.value
        let urls: [String] = if case .array(let urls)? = table["url"] { urls.compactMap(\.text) } else { [] }
        return DialectDefinition(
            name: member.key,
            url: urls,
            identifier: table["identifier"]?.text,
            type: table["type"]?.text,
            gate: try table["gate"]?.text.map { try #require(DialectDefinition.Gate(rawValue: $0)) } ?? .push,
            profile: table["profile"]?.text,
            string: table["string"]?.text,
        )
    }

    func request() throws -> NotificationRequest {
        try reader.read(try #require(json["payload"]), identifier: "n", dialect: json["pin"]?.text)
    }

    var ready: [Int: DeliveredAttachment] {
        get throws {
            var ready: [Int: DeliveredAttachment] = [:]
            for (index, value) in elements("ready").enumerated() where value != .null {
                ready[index] = DeliveredAttachment(
                    identifier: try #require(value["identifier"]?.text),
                    url: try #require(value["url"]?.text),
                    shortURL: value["shortURL"]?.text,
                    format: try OutputFormat(typeIdentifier: #require(value["type"]?.text)),
                    byteCount: Int(value["byteCount"]?.double ?? 0),
                )
            }
            return ready
        }
    }

    func elements(_ key: String) -> [JSONValue] {
        guard case .array(let elements)? = json[key] else { return [] }
        return elements
    }

    static func countedIdentifiers() -> @Sendable () -> String {
        let counter = Counter()
        return { "generated-\(counter.next())" }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}
