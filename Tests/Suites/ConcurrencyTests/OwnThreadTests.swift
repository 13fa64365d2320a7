import Glibc
import Testing

@testable import Base

@Suite("A thread of its own", .timeLimit(.minutes(10)))
struct OwnThreadTests {
    @Test("an urgent thread does not pass its priority on to the threads that it starts")
    func inherits() async throws {
        let niceValues = OneShot<Result<(urgent: Int32, started: Int32), any Error>>()
        try OwnThread.start("urgent", isUrgent: true) {
            let urgent = Self.niceValue
            do {
                try OwnThread.start("started") { niceValues.set(.success((urgent, Self.niceValue))) }
            } catch {
                niceValues.set(.failure(error))
            }
        }
        let (urgent, started) = try await niceValues.get()
        // Where the system does not allow it, no thread is urgent.
        #expect(urgent == -10 || urgent >= 0)
        #expect(started >= 0)
    }

    private static var niceValue: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
}
