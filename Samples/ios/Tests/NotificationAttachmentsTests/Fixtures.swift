import Foundation

@testable import NotificationAttachments

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "attachments-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The paths of all files in it and in its folders, relative to it.
    var files: [String] {
        (FileManager.default.enumerator(atPath: url.path)?.allObjects as? [String] ?? [])
            .filter { !url.appending(path: $0).hasDirectoryPath && $0.contains(".") }.sorted()
    }
}

/// An origin's answer in a test.
enum Answer: Sendable {
    case complete(status: Int = 200, mimeType: String? = "image/jpeg", length: Int64 = -1, pieces: [Data])
    /// Sends some bytes, and then neither goes on nor ends.
    case stalls(after: Int)
    /// Sends some bytes, and then the connection breaks.
    case breaks(after: Int)

    static let photo = Answer.complete(pieces: [Data("a photo ".utf8), Data("in two pieces".utf8)])
    static let photoSize = 21
    static let photoDigest = "e9b9e382ac41c0d53b1d5d98ba5fcdfe8fec0bb562b5497b2e12e36b52596ba4"
}

/// A network whose answers a test decides.
final class FakeNetwork: Transport, @unchecked Sendable {
    struct Broken: Error {}

    private let answers: [String: Answer]
    private let lock = NSLock()
    private var sent = 0
    /// Yields how many downloads have sent all that they will send.
    let progress: AsyncStream<Int>
    private let report: AsyncStream<Int>.Continuation

    init(_ answers: [String: Answer]) {
        self.answers = answers
        (progress, report) = AsyncStream.makeStream()
    }

    func fetch(_ url: URL, into file: IncomingFile) async throws {
        switch answers[url.lastPathComponent] {
        case .complete(let status, let mimeType, let length, let pieces):
            try file.begin(status: status, mimeType: mimeType, length: length)
            for piece in pieces { try file.append(piece) }
            count()
        case .stalls(let bytes):
            try file.begin(status: 200, mimeType: "image/jpeg", length: -1)
            try file.append(Data(count: bytes))
            count()
            // Nothing ever comes: only the cancellation ends it.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        case .breaks(let bytes):
            try file.begin(status: 200, mimeType: "image/jpeg", length: -1)
            try file.append(Data(count: bytes))
            throw Broken()
        case nil:
            throw Broken()
        }
    }

    /// Waits until this many downloads have sent all that they will send.
    func until(_ number: Int) async {
        for await count in progress where count >= number { return }
    }

    private func count() {
        report.yield(
            lock.withLock {
                sent += 1
                return sent
            }
        )
    }
}

/// The deliveries of one notification.
final class Deliveries<Content>: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [Content] = []
    private let stream: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (stream, signal) = AsyncStream.makeStream() }

    var all: [Content] { lock.withLock { list } }

    func add(_ content: Content) {
        lock.withLock { list.append(content) }
        signal.yield()
    }

    /// Waits for the first delivery.
    func first() async -> Content? {
        for await _ in stream { break }
        return all.first
    }
}
