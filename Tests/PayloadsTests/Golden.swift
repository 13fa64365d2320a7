import Foundation
import Media
import Payloads
import Synchronization
import Testing

/// A payload, the attachments in it, the ready files, and the expected payload.
///
/// A file `DIALECT.CASE.json` holds one. In `ready`, `null` stands for an attachment that failed.
struct Golden: CustomTestStringConvertible {
    let name: String
    let json: JSONValue

    static let all: [Golden] = {
        let folder = Bundle.module.url(forResource: "Golden", withExtension: nil)
        let files = folder.flatMap {
            try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        return (files ?? []).filter { $0.pathExtension == "json" }.map(Golden.init)
            .sorted { $0.name < $1.name }
    }()

    init(file: URL) {
        name = file.deletingPathExtension().lastPathComponent
        do { json = try JSONValue(parsing: [UInt8](Data(contentsOf: file))) } catch {
            fatalError("\(file.path): \(error)")
        }
    }

    var dialect: String { String(name.prefix { $0 != "." }) }
    var testDescription: String { name }

    func request() throws -> NotificationRequest {
        let reader = PayloadReader(makeIdentifier: Self.countedIdentifiers())
        return try reader.read(try #require(json["payload"]), identifier: "n", dialect: json["pin"]?.text)
    }

    var ready: [Int: NotificationAttachment] {
        get throws {
            var ready: [Int: NotificationAttachment] = [:]
            for (index, value) in elements("ready").enumerated() where value != .null {
                ready[index] = NotificationAttachment(
                    identifier: try #require(value["identifier"]?.text),
                    url: try #require(value["url"]?.text),
                    shortURL: value["shortURL"]?.text,
                    type: try #require(value["type"]?.text),
                    byteCount: value["byteCount"]?.double.map { Int($0) },
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
