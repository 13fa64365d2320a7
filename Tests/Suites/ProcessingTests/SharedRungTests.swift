import Media
import Payloads
import Support
import Synchronization
import Testing

@testable import Processing

@Suite("An output that several notifications share", .timeLimit(.minutes(10)))
struct SharedRungTests {
    /// A store that counts.
    private final class Store: Sendable {
        static let file = StoredFile(identifier: "a", url: "file:///a.jpg", sha256: "00")
        private let count = Mutex(0)

        var callCount: Int { count.withLock { $0 } }

        func store(
            after signal: Signal? = nil,
            _ failure: AttachmentFailure? = nil,
        ) async throws(AttachmentFailure) -> StoredFile {
            count.withLock { $0 += 1 }
            await signal?.hang()
            if let failure { throw failure }
            return Self.file
        }
    }

    private let store = Store()

    @Test("it is stored once, whichever waiter is first, and all get it")
    func once() async throws {
        let (rung, signal) = (SharedRung(try ReadyRung([1, 2, 3])), Signal())
        #expect(rung.stored == nil && rung.report.byteCount == 3)
        try await confirmation(expectedCount: 10) { stored in
            try await withThrowingTaskGroup(of: StoredFile.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await rung.stored { _ throws(AttachmentFailure) in try await store.store(after: signal) }
                    }
                }
                group.addTask {
                    signal.send()
                    return Store.file
                }
                for try await value in group.dropFirst() {
                    #expect(value == Store.file)
                    stored()
                }
            }
        }
        #expect(store.callCount == 1 && rung.stored == Store.file)
    }

    @Test("a failed attempt is repeated for the next waiter, with the bytes still there")
    func again() async throws {
        let rung = SharedRung(try ReadyRung([1, 2, 3]))
        let full = AttachmentFailure(.store, .storeFull, "The test says so.")
        await #expect(throws: full) {
            try await rung.stored { _ throws(AttachmentFailure) in try await store.store(full) }
        }
        let stored = try await rung.stored { rung throws(AttachmentFailure) in
            #expect(rung.file.prefix(3) == [1, 2, 3])
            return try await store.store()
        }
        #expect(stored == Store.file && store.callCount == 2)
    }

    @Test("storing continues while any waiter is left, and is cancelled when the last has left")
    func leaving() async throws {
        let (rung, begun, cancelled) = (SharedRung(try ReadyRung([1])), Signal(), Signal())
        let tasks = (0..<2).map { _ in
            Task {
                try await rung.stored { _ throws(AttachmentFailure) in
                    begun.send()
                    await withTaskCancellationHandler {
                        await cancelled.hang()
                    } onCancel: {
                        cancelled.send()
                    }
                    throw AttachmentFailure(.store, .cancelled, "The test says so.")
                }
            }
        }
        await begun.wait()
        tasks[0].cancel()
        #expect((try? await tasks[0].value) == nil)
        tasks[1].cancel()
        await cancelled.wait()
        #expect((try? await tasks[1].value) == nil)
    }
}
