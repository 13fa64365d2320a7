import Foundation

/// A notification's attachments while they are downloaded, delivered exactly once.
///
/// When everything has ended or the time is up, whichever comes first, it delivers the attachments that are ready, else
/// the pictures inside the payload, else none. A lock guards all that changes, hence `@unchecked`.
final class BestAttempt<Attachment>: @unchecked Sendable {
    typealias Make = (_ identifier: String, _ file: URL, _ options: [String: any Sendable]) throws -> Attachment

    private let entries: [AttachmentEntry]
    private let folder: URL
    private let transport: any Transport
    private let make: Make
    private let lock = NSLock()
    private var deliver: (([Attachment]) -> Void)?
    private var ready: [Int: Attachment] = [:]
    private var work: Task<Void, Never>?

    init(
        _ entries: [AttachmentEntry],
        in folder: URL,
        over transport: any Transport,
        make: @escaping Make,
        deliver: @escaping ([Attachment]) -> Void
    ) {
        (self.entries, self.transport, self.make, self.deliver) = (entries, transport, make, deliver)
        self.folder = folder.appendingPathComponent(UUID().uuidString)
        try? FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    /// Downloads all attachments at once, and then delivers.
    @discardableResult
    func start() -> Task<Void, Never> {
        let work = Task {
            await withTaskGroup(of: Void.self) { group in
                for index in entries.indices { group.addTask { await self.prepare(index) } }
            }
            finish()
        }
        lock.withLock { self.work = work }
        return work
    }

    /// Delivers the best attempt so far, unless something was delivered before.
    func finish() {
        let (deliver, ready, work) = lock.withLock {
            defer { self.deliver = nil }
            return (self.deliver, self.ready, self.work)
        }
        guard let deliver else { return }
        work?.cancel()
        deliver(
            ready.isEmpty ? entries.indices.compactMap(inlineAttachment) : ready.sorted { $0.key < $1.key }.map(\.value)
        )
    }

    private func prepare(_ index: Int) async {
        let entry = entries[index]
        guard let url = entry.url else { return }
        let file = IncomingFile(entry, at: folder.appendingPathComponent("\(index)"))
        do {
            try await transport.fetch(url, into: file)
            let options = try entry.options(for: file.finish())
            try lock.withLock { ready[index] = try make(entry.identifier, file.url, options) }
        } catch {
            file.discard()
        }
    }

    private func inlineAttachment(_ index: Int) -> Attachment? {
        guard let picture = entries[index].inline else { return nil }
        let file = folder.appendingPathComponent("inline-\(index).\(picture.type.fileExtension)")
        return try? {
            try picture.data.write(to: file)
            return try make(entries[index].identifier, file, entries[index].options(for: picture.type))
        }()
    }
}
